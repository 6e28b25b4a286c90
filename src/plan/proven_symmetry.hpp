#pragma once

#include <optional>

#include "plan/plan.hpp"
#include "schedule/symmetry.hpp"

namespace tutti {

/// A symmetry under which every rank's part is exactly its representative's: the same operations in the same
/// order, waiting for the same, on the same blocks, or on those of the ranks that theirs are moved to. All
/// parts are generated, one after the other. Nothing where there is none or the collective's ranks are not
/// alike: then the schedule has to be proven rank by rank.
std::optional<Symmetry> proven_symmetry(const Plan& plan, const Shape& shape);

}  // namespace tutti
