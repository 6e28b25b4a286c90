#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tutti::inline base {

/// Reads a number of bytes: "512", "10K", "4M", "1G" (powers of 1024; a lower-case letter and a
/// final B do as well).
Result<std::size_t> parse_size(std::string_view text);

/// "10K" where it is exact, else "10000".
std::string size_text(std::size_t bytes);

/// "1 run", "4 runs": how many there are of what a noun names.
template <std::integral Number>
std::string counted(Number number, std::string_view noun) {
  return std::to_string(number) + ' ' + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace tutti::inline base
