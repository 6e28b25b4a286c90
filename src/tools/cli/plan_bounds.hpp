#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "core/network/path_stretches.hpp"
#include "core/network/time_limits.hpp"
#include "core/plan/plan.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::tools {

/// What a plan takes on a network, and what bounds it.
struct PlanBounds {
  TimeLimits limits;                   ///< of any plan
  std::optional<double> seconds;       ///< nothing of native calls, and where nobody can tell
  std::vector<int> told_from = {};     ///< numbers of ranks, where it was not simulated on all
  std::vector<PathShare> shares = {};  ///< of the critical path, as what follows
  std::vector<PathStretch> stretches = {};
  std::vector<std::string> places = {};  ///< that stretches name
  Price::Way busy_way = {};
};

/// The bounds of a plan that serves such calls of `size` bytes (CollectiveTraits::size_means).
/// `known` is the network as schedules are computed for it, where it is known.
PlanBounds bounds_of(const Plan& plan, const Setting& setting, std::size_t size, const Network& network,
                     const KnownNetwork* known);

/// "665 us (links 120 us, groups 665 us)": the limit, with what it comes from where that is not
/// links alone.
std::string limits_text(const TimeLimits& limits);
/// What it takes, the critical path in a few lines, and the busiest way. `network` is what people
/// call it.
std::string bounds_text(const PlanBounds& bounds, const std::string& network);

/// Adds limits, price and path to what is said of a plan.
void add_to(Json& json, const PlanBounds& bounds);

}  // namespace tutti::tools
