#pragma once

#include <cstdint>
#include <span>

#include "core/network/network.hpp"

namespace tutti::inline core {

/// A network without what changes from one measurement to the next: of each link a latency and
/// straight lines, their coefficients in classes of about a tenth; links that are then alike are
/// one. The same on all hosts, to the last bit.
Network quantised(const Network& network);

/// Equal for networks with the same text.
std::uint64_t fingerprint(const Network& network);

/// The network between some of its ranks; these and their hosts get new numbers.
Network restricted(const Network& network, std::span<const Rank> ranks);

}  // namespace tutti::inline core
