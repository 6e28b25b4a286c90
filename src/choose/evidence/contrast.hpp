#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "choose/evidence/measurement.hpp"

namespace tutti::inline choose {

/// (x − y) / (x + y) of two times: negative where x is the shorter. It lies in −1 … 1 however long
/// one of them took, and only turns its sign when they change places.
inline double contrast(double x, double y) {
  return x + y > 0 ? (x - y) / (x + y) : 0;
}

/// x / y, of their contrast.
inline double ratio_of_contrast(double contrast) {
  return (1 + contrast) / (1 - contrast);
}

/// x / y with its bounds, of their contrast's: infinite above where nothing is known.
inline Interval ratio_of_contrast(const Interval& bounds) {
  const auto ratio = [](double contrast) {
    return contrast < 1 ? ratio_of_contrast(std::max(contrast, -1.0))
                        : std::numeric_limits<double>::infinity();
  };
  return {ratio(bounds.low), ratio(bounds.middle), ratio(bounds.high)};
}

/// Text of a ratio for people: "0.861 (0.803 .. 0.921)".
inline std::string ratio_text(const Interval& ratio) {
  if (!std::isfinite(ratio.high)) return fmt::format("{:.3f} (few calls)", ratio.middle);
  return fmt::format("{:.3f} ({:.3f} .. {:.3f})", ratio.middle, ratio.low, ratio.high);
}

/// The contrast of two times of which one is `ratio` times as long as the other.
inline double contrast_of_ratio(double ratio) {
  return (ratio - 1) / (ratio + 1);
}

}  // namespace tutti::inline choose
