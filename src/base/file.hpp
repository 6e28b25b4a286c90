#pragma once

#include <string>

#include "base/result.hpp"

namespace tutti::inline base {

/// Reads a file whole.
Result<std::string> read_file(const std::string& path);

/// Writes an output that a user named. A regular file, or one that is not there yet, is replaced by
/// way of a temporary one beside it, so that it is never there by halves and what was there stays
/// if the new one can't be written; of a symbolic link the target is replaced, not the link.
/// Devices, pipes and descriptors of this process (/dev/stdout) are written to. Errors of the disk
/// are found before this returns.
Result<void> write_file(const std::string& path, const std::string& text);

/// Whether `write_file` could write there now, as far as can be told without writing: for finding
/// it out before long work.
Result<void> check_output(const std::string& path);

/// The file that `write_file` replaces: the target of symbolic links. Nothing where it writes to
/// what is no regular file.
Result<std::string> replaced_file(const std::string& path);

/// Whether that output is this process' standard output.
bool is_standard_output(const std::string& path);

}  // namespace tutti::inline base
