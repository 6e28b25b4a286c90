#pragma once

#include <algorithm>
#include <cstddef>

#include "core/network/network.hpp"
#include "core/network/sites.hpp"

namespace tutti::inline core {

/// The least times, in seconds, in which any algorithm can do a collective on a network, by what
/// bounds it.
struct TimeLimits {
  double links;   ///< one-ported ends on the best of the links, memory among them
  double sites;   ///< what has to go from one site to another; 0 where there is one
  double groups;  ///< what has to enter and leave groups; 0 without groups

  /// What holds: the largest.
  double all() const { return std::max({links, sites, groups}); }
};

/// The limits of the first `ranks` ranks of a network, whose sites these are; none: they are not
/// known. `size` is what `CollectiveTraits::size_means` says.
TimeLimits limits_of(Collective collective, std::size_t size, const Network& network, int ranks,
                     const Sites& sites);

}  // namespace tutti::inline core
