#include "choose/evidence/day.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <stdexcept>

namespace tutti::inline choose {

Day today() {
  const auto now = std::chrono::system_clock::now();
  return std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
}

std::string date_text(Day day) {
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

Day read_day(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  const std::chrono::year_month_day date =
      std::sscanf(text.c_str(), "%d-%u-%u", &year, &month, &day) == 3
          ? std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)
          : std::chrono::year_month_day{};
  if (!date.ok()) throw std::invalid_argument(fmt::format("'{}' is no date such as 2026-03-01", text));
  return std::chrono::sys_days(date).time_since_epoch().count();
}

}  // namespace tutti::inline choose
