#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/decided_points.hpp"

namespace tutti::tools {

/// What a table brings, over native.
struct Headline {
  std::size_t points = 0;
  std::size_t native = 0;  ///< of them, at which native stays
  double geometric_mean = 1;
  std::optional<DecidedPoint> largest;  ///< where there is a gain
};
Headline headline_of(const std::vector<DecidedPoint>& points);

/// Why a rule's plan was chosen: what was measured in its stretch of sizes.
std::string reason(const RuleSet& set, const Rule& rule, const std::vector<DecidedPoint>& points);

}  // namespace tutti::tools
