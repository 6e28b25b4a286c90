#pragma once

#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

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

}  // namespace tutti::inline choose
