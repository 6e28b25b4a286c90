#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tutti::inline core {

/// The value in the middle; of an even number of values the upper one. There has to be a value.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace tutti::inline core
