#pragma once

#include <vector>

#include "core/network/latency_pools.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline choose {

/// A pair of ranks that was measured.
struct MeasuredPair {
  Rank a, b;
  double latency, seconds_per_byte;
  int link;  ///< the number of its class
};

/// Which class of links every two of so many ranks have, by rank · ranks + rank, from pairs that
/// were measured and what short messages take between all hosts.
///
/// Others have what most pairs of the same two hosts have. Of hosts of which no pair was measured it
/// is what most pairs have that lie as they do in the tree of pools that latencies tell: between the
/// same two pools, else as deep in the tree. Only what takes short messages about as long as these
/// two is considered, within a factor of `alike`, where there is such. Without pools it is what one
/// has with a neighbour of the other. Pairs of one host go by those of other hosts.
std::vector<int> links_of_pairs(int ranks, const Hosts& hosts, const std::vector<MeasuredPair>& measured,
                                const Latencies& latencies, double alike);

}  // namespace tutti::inline choose
