#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace tutti::inline base {

/// A text in small letters.
inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

/// A text in capital letters.
inline std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return text;
}

}  // namespace tutti::inline base
