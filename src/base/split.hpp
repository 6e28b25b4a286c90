#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace tutti::inline base {

/// The parts of a text between separators, in their order; those between two neighbouring ones are
/// empty.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// A text without the blanks around it.
inline std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace tutti::inline base
