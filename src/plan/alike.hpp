#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "network/network.hpp"
#include "plan/plan.hpp"

namespace tutti {

/// The schedule of a plan as far as a price on the network needs it: where plan and network have a symmetry
/// the parts of the ranks that stand for all, else all parts. The symmetry is that of the fewest ranks. It is
/// taken for one when some ranks, and some links, look so. Nothing if it would have more than
/// `most_operations`, estimated from some ranks' parts. The plan is not native and serves such calls.
std::optional<Schedule> schedule_to_price(const Plan& plan, const Shape& shape, const Network& network,
                                          std::size_t most_operations);

/// Whether a rank's part is another's after that move, which takes the one to the other: the same operations
/// on equally many blocks, waiting for the same, with partners moved.
bool is_moved(const Part& part, const Part& moved, const std::function<Rank(Rank)>& move);

}  // namespace tutti
