#include "choose/evidence/unread_measurements.hpp"

#include <fmt/format.h>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

const std::vector<Measurement>& UnreadMeasurements::read() const {
  const std::lock_guard lock(mutex_);
  if (text_.empty()) return measurements_;
  auto all = parse_measurements(text_, source_);
  damaged_ = !all;
  if (all) measurements_ = std::move(*all);
  std::erase_if(measurements_, [](const Measurement& m) { return !tells_of_others(m); });
  measurements_.shrink_to_fit();
  text_.clear();
  text_.shrink_to_fit();  // an empty string assigned to it would leave it its memory
  return measurements_;
}

std::string UnreadMeasurements::complaint() const {
  const std::lock_guard lock(mutex_);
  if (!damaged_) return "";
  return fmt::format(
      "table {}: its measurements are damaged, and plans between what was tuned are chosen without them; "
      "tune again with tutti tune",
      source_);
}

}  // namespace tutti::inline choose
