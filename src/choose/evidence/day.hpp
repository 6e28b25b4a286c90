#pragma once

#include <cstdint>
#include <string>

namespace tutti::inline choose {

/// Days since 1970.
using Day = std::int64_t;

/// Today, by this machine's clock.
Day today();

/// Text of a day: "2026-03-01".
std::string date_text(Day day);

/// The day of such a text; anything else throws std::invalid_argument.
Day read_day(const std::string& text);

}  // namespace tutti::inline choose
