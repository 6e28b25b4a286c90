#include "base/shell.hpp"

#include <fmt/format.h>

#include <regex>

namespace tutti::inline base {

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\n'\"()[]{}*?$&|;<>\\`~#!") == word.npos;
  return plain ? word : fmt::format("'{}'", std::regex_replace(word, std::regex("'"), "'\\''"));
}

bool is_shell_name(std::string_view word) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !word.empty() && (word[0] < '0' || word[0] > '9') && word.find_first_not_of(letters) == word.npos;
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  return equals != word.npos && is_shell_name(word.substr(0, equals));
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
