#pragma once

#include <vector>

#include "core/algorithms/patterns/exchanges.hpp"

namespace tutti::inline core {

/// The skips of an allgather in which all members do the same, by rounds. A round has several where
/// a member exchanges with several at a time. In all they ascend from 1, and every number below p
/// is a sum of different ones, found by taking the greatest that fits from what is left.
using Skips = std::vector<std::vector<int>>;

/// The multiples d·radix^k below p, 0 < d < radix, those of one k in a round. Source: Bruck, Ho,
/// Kipnis, Upfal, Weathersby, Efficient Algorithms for All-to-All Communications in Multiport
/// Message-Passing Systems, 1997.
Skips bruck_skips(int members, int radix);

/// The allgather along the skips, as `member` sees it: p − 1 blocks, the least possible. A block
/// travels the skips whose sum is its distance, the least one first where the largest exchanges are
/// far, else the greatest one. Sources of the latter, for the skips of Bruck: Loch, Koslovski,
/// Sparbit, 2021; Jeaugey, PAT, 2025.
Exchanges along_skips(int members, int member, const Skips& skips, Largest largest);

}  // namespace tutti::inline core
