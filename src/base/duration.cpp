#include "base/duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tutti::inline base {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array units{Unit{"", 1},      Unit{"s", 1},  Unit{"ms", 1e-3}, Unit{"us", 1e-6},
                           Unit{"ns", 1e-9}, Unit{"m", 60}, Unit{"h", 3600}};

}  // namespace

Result<double> parse_duration(std::string_view text) {
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const std::string_view name(end, static_cast<std::size_t>(last - end));
  const auto unit = std::ranges::find(units, name, &Unit::name);
  const double seconds = unit == units.end() ? -1 : value * unit->seconds;
  if (error != std::errc() || !(seconds >= 0) || !std::isfinite(seconds))
    return failure(fmt::format("'{}' is not a time; write for example 20ms, 60s or 2m", text));
  return seconds;
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

}  // namespace tutti::inline base
