#pragma once

#include <string>
#include <vector>

namespace tutti::inline base {

/// A word as a shell reads it back.
std::string shell_quoted(const std::string& word);

/// Words as a line that a shell reads back.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace tutti::inline base
