#pragma once

#include <optional>

#include "core/network/latency_pools.hpp"
#include "core/network/torus.hpp"

namespace tutti::inline core {

/// Fewer hosts are in some torus wherever they are. It was chosen by hand.
inline constexpr int fewest_hosts_of_a_torus = 8;

/// The smallest torus in which every latency that was measured is that of neighbours, and the same
/// again for each further link of the shortest way. Hosts may be in any order, and places without
/// one. Of its dimensions nobody knows in which order messages go along them, nor of its links what
/// they carry. Nothing where there is none, where hosts are so few that one is no evidence, and
/// where a bounded search has found none.
std::optional<Torus> torus_by_latencies(const Latencies& latencies);

}  // namespace tutti::inline core
