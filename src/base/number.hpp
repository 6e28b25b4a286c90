#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace tutti::inline base {

/// The number that a text is, all of it; nothing if it is none, or none that the type holds.
template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace tutti::inline base
