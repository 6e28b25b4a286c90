#pragma once

#include <cstddef>
#include <vector>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// The network with a group for each place that ranks are at, by rank, such as sites, among the
/// groups that it has: around those that lie there, and within those around it. A group that has
/// the same ranks is that already. As it was where places tear its groups or hosts apart.
Network with_groups_at(Network network, const std::vector<std::size_t>& places);

}  // namespace tutti::inline core
