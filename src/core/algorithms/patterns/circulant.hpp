#pragma once

#include <vector>

#include "core/algorithms/patterns/exchanges.hpp"

namespace tutti::inline core {

/// Circulant graphs: in round k every rank talks to the ranks skips[k] away, the same for all ranks
/// and any p. Source: Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024.

/// The skips s_0 = 1, …, s_q = p with s_k = ⌈s_{k+1} / 2⌉ and q = ⌈log2 p⌉.
std::vector<int> circulant_skips(int ranks);

/// The allgather along these skips, as `member` sees it: q rounds and p − 1 blocks, both the least
/// possible.
Exchanges circulant_exchanges(int members, int member, Largest largest = Largest::far);

/// One message of a pipelined broadcast, from `from`, or to `to`, counted from the root; −1 for
/// none.
struct CirculantRound {
  int from, incoming;  ///< a block
  int to, outgoing;
};

/// The rounds of a broadcast of `blocks` blocks from member 0 as `member` sees them: blocks − 1 + q
/// of them, in each of which every member gets at most one block and passes on at most one. Every
/// member gets each block once. Source: Träff, Optimal Broadcast Schedules in Logarithmic Time,
/// 2024.
std::vector<CirculantRound> circulant_rounds(int ranks, int member, int blocks);

/// The rounds of all members, by member.
std::vector<std::vector<CirculantRound>> circulant_rounds(int ranks, int blocks);

/// The number of blocks with which such a broadcast or reduction of that many bytes takes the least
/// time where n_half bytes pass in the time of a message's latency (alpha / beta).
int circulant_blocks(int ranks, std::size_t bytes, int n_half);

}  // namespace tutti::inline core
