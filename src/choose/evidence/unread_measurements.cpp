#include "choose/evidence/unread_measurements.hpp"

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

const std::vector<Measurement>& UnreadMeasurements::read() const {
  const std::lock_guard lock(mutex_);
  if (text_.empty()) return measurements_;
  if (auto all = parse_measurements(text_, "the table")) measurements_ = std::move(*all);
  std::erase_if(measurements_, [](const Measurement& m) { return !tells_of_others(m); });
  measurements_.shrink_to_fit();
  text_.clear();
  text_.shrink_to_fit();  // an empty string assigned to it would leave it its memory
  return measurements_;
}

}  // namespace tutti::inline choose
