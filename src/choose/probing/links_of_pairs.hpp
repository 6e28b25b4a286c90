#pragma once

#include <vector>

#include "core/network/latency_pools.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline choose {

/// Whether two values differ by a factor at most.
inline bool are_alike(double a, double b, double factor) {
  return a <= b * factor && b <= a * factor;
}

/// A pair of ranks that was measured.
struct MeasuredPair {
  Rank a, b;
  double latency, seconds_per_byte;
  int link;  ///< the number of its class
};

/// Which class of links every two of so many ranks have, by rank · ranks + rank, from pairs that
/// were measured and what short messages take between all hosts.
///
/// Others have what most pairs of the same two hosts have. Where none of these was measured they
/// have what most pairs have that lie as they do in the tree of pools that latencies tell: between
/// the same two pools, else as deep in the tree; of classes whose short messages take about as long
/// as theirs, within a factor of `alike`, where there are such. Without pools they have what one of
/// them has with a neighbour of the other. Pairs within a host go by those within others.
std::vector<int> links_of_pairs(int ranks, const Hosts& hosts, const std::vector<MeasuredPair>& measured,
                                const Latencies& latencies, double alike);

}  // namespace tutti::inline choose
