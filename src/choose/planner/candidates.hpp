#pragma once

#include <limits>
#include <vector>

#include "choose/evidence/measurer.hpp"
#include "choose/planner/constants.hpp"
#include "core/network/network.hpp"

namespace tutti::inline choose {

/// What might run at a point, and what of it is worth measuring.
struct Candidates {
  std::vector<Plan> measured;  ///< native first
  std::size_t known;           ///< how many there are, those included
  /// Their prices, seconds; 0 where there is none.
  std::vector<double> prices;
  double least_seconds;  ///< the lowest price of all; 0 where nothing has one
};

inline constexpr std::size_t all_candidates = std::numeric_limits<std::size_t>::max();

/// What is wanted of candidates.
struct Choice {
  std::size_t cheapest;      ///< number of plans with the lowest prices to measure
  bool fixed_order = false;  ///< of reductions those that keep the fixed order of operands only
  /// What all that is priced may have, on more than a few hundred ranks.
  std::size_t operations = planner::tuned_operations;
};

/// Chooses by price on the network's model. Known are all algorithms, with parameters as the
/// network likes them too, where ranks share memory, and it is known what that costs, each through
/// it as well; all grids and lanes worth trying, with the fastest algorithms in their phases and
/// with the MPI library's own; and all ways by other collectives. Measured are the `cheapest` plans
/// with the lowest prices, the lowest first; of what has no price, since the MPI library has a hand
/// in it, all ways and of each kind of composition the one that would be fastest at the network's
/// limit; and one of the others at random, to notice a wrong model. Of plans with one price three
/// are measured at most, of different algorithms if there are any: they differ in what the model
/// does not see. `all_candidates` measures
/// whatever is known.
Candidates candidates(const Point& point, const Site& site, const Network& network, const Choice& choice);

}  // namespace tutti::inline choose
