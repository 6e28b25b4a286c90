#include "base/share.hpp"

#include <fmt/format.h>

#include <charconv>

namespace tutti::inline base {

std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  double percent = 0;
  const char* const last = text.data() + text.size() - 1;
  const auto [end, error] = std::from_chars(text.data(), last, percent);
  if (error != std::errc() || end != last || !(percent >= 0 && percent <= 100)) return std::nullopt;
  return percent / 100;
}

std::string share_text(double share, int digits) {
  return fmt::format("{:.{}f} %", 100 * share, digits);
}

}  // namespace tutti::inline base
