#pragma once

#include <optional>

#include "core/plan/plan.hpp"
#include "core/schedule/symmetry.hpp"

namespace tutti::inline core {

/// A symmetry under which every rank's part is exactly its representative's: the same operations in
/// the same order, waiting for the same, on the same blocks, or on those of the ranks that theirs
/// are moved to. All parts are generated, one after the other. Nothing where there is none or the
/// collective's ranks are not alike: then the schedule has to be proven rank by rank.
std::optional<Symmetry> proven_symmetry(const Plan& plan, const Shape& shape);

/// Whether the schedule for a root is exactly that for root 0, its ranks moved round the circle
/// and, where each rank has a block, the blocks with them. Then what is proven for root 0 is proven
/// for this one, but for the order of operands, in which the ranks are not moved.
bool is_that_of_root_0_moved(const Schedule& of_root_0, const Schedule& schedule);

}  // namespace tutti::inline core
