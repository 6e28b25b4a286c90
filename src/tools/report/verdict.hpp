#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::tools {

/// A measured point, and what was decided there.
struct DecidedPoint {
  Called called;
  Placement placement;
  std::size_t size;
  const Measurement* native;
  const Measurement* chosen;  ///< native itself where that stays
  const Measurement* best;    ///< the fastest plan but native; null where no other was measured
  double gain() const { return native->seconds.middle / chosen->seconds.middle; }
};

/// The points at which native and what a table chooses were both measured; without decisions,
/// native and the fastest plan that is surely faster. In the order of the measurements.
std::vector<DecidedPoint> decided_points(const Table& table);

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
