#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti::tools {

/// What a program's or library's file says by itself, in the format of Linux' dynamic linker (ELF).
struct ElfFile {
  bool is_of_this_machine = false;          ///< else nothing more is known
  std::string interpreter = {};             ///< the linker that it asks to be started by; empty: none
  std::vector<std::string> libraries = {};  ///< that it names, in its order
  std::vector<std::string> folders = {};    ///< in which these are looked for first (RUNPATH)
  bool has_other_folders = false;           ///< that the linker alone knows: RPATH, or with $ORIGIN
};

/// Looks at a file; nothing where it is of another format.
std::optional<ElfFile> look_at_elf(const std::string& path);

/// The libraries that a file of this machine needs, those that its libraries need among them: by
/// the folders that files name, and by the cache in which the system's linker has all libraries of
/// its usual folders. Nothing where others may be meant, so that only the linker can tell.
std::optional<std::vector<std::string>> libraries_by_cache(const ElfFile& file,
                                                           const std::string& cache = "/etc/ld.so.cache");

}  // namespace tutti::tools
