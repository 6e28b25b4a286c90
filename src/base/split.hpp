#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace tutti::inline base {

/// The parts of a text between separators, in their order; those between two neighbouring ones are empty.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace tutti::inline base
