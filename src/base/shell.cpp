#include "base/shell.hpp"

#include <fmt/format.h>

#include <regex>

namespace tutti::inline base {

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t'\"()[]{}*?$&|;<>\\`~#!") == word.npos;
  return plain ? word : fmt::format("'{}'", std::regex_replace(word, std::regex("'"), "'\\''"));
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quoted(word);
  }
  return line;
}

}  // namespace tutti::inline base
