#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// Calls add(size_max, choice) for the stretches of sizes, ascending, that follow from choices at
/// some sizes. Between neighbours the border is their geometric mean; beyond the outermost ones a
/// choice holds for a factor of two, and `elsewhere` beyond that.
template <typename Choice, typename Add>
void for_each_stretch(const std::map<std::size_t, Choice>& by_size, const Choice& elsewhere, Add&& add) {
  for (auto it = by_size.begin(); it != by_size.end(); ++it) {
    const auto& [size, choice] = *it;
    if (it == by_size.begin() && size / 2 > 0) add(size / 2 - 1, elsewhere);
    const auto next = std::next(it);
    if (next == by_size.end()) {
      add(size * 2, choice);
    } else {
      const double mean = std::sqrt(static_cast<double>(size) * static_cast<double>(next->first));
      add(std::max(size, static_cast<std::size_t>(mean)), choice);
    }
  }
  add(unlimited, elsewhere);
}

}  // namespace tutti::inline choose
