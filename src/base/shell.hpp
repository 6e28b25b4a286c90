#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline base {

/// A word as a shell reads it back.
std::string shell_quoted(const std::string& word);

/// Whether a word is a name by POSIX, as variables and functions of every shell have it.
bool is_shell_name(std::string_view word);

/// Whether a word is NAME=VALUE. A path with a "=" in it is none.
bool is_assignment(std::string_view word);

/// Words as a line that a shell reads back.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace tutti::inline base
