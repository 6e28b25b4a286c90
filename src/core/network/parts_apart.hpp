#pragma once

#include <map>
#include <utility>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// The number of a rank's host where it is a part of a group beside others: behind the groups.
inline int host_as_part(const Network& network, Rank rank) {
  return static_cast<int>(network.groups.size()) + network.host(rank);
}

/// The parts that tell two ranks apart, of the innermost group in which both are, or of everything:
/// groups by their numbers, or hosts.
std::pair<int, int> parts_apart(const Network& network, Rank from, Rank to);

/// What the trunks that are shared let through, in seconds a byte, by the parts between which they
/// are.
std::map<std::pair<int, int>, double> shared_trunks(const Network& network);

}  // namespace tutti::inline core
