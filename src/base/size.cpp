#include "base/size.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>

namespace tutti::inline base {

Result<std::size_t> parse_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto fail = [&] {
    return failure(fmt::format("'{}' is not a size; write bytes such as 512, 10K or 4M", text));
  };
  if (error != std::errc()) return fail();
  if (!unit.empty() && std::toupper(static_cast<unsigned char>(unit.back())) == 'B') unit.remove_suffix(1);
  if (unit.empty()) return value;
  if (unit.size() > 1) return fail();
  int shift = 0;
  switch (std::toupper(static_cast<unsigned char>(unit[0]))) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    default:
      return fail();
  }
  if (value > (std::numeric_limits<std::size_t>::max() >> shift)) return fail();
  return value << shift;
}

std::string size_text(std::size_t bytes) {
  constexpr std::string_view units = "KMG";
  std::size_t value = bytes;
  std::size_t unit = 0;
  while (unit < units.size() && value >= 1024 && value % 1024 == 0) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{}", value) : fmt::format("{}{}", value, units[unit - 1]);
}

}  // namespace tutti::inline base
