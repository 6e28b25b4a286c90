#pragma once

#include <vector>

#include "algorithms/patterns/team.hpp"
#include "schedule/builder.hpp"

namespace tutti {

/// Circulant graphs: in round k every rank talks to the ranks skips[k] away, the same for all ranks and any
/// p. Source: Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024.

/// The skips s_0 = 1, …, s_q = p with s_k = ⌈s_{k+1} / 2⌉ and q = ⌈log2 p⌉.
std::vector<int> circulant_skips(int ranks);

/// Allgather: rank r starts with output block r. q rounds, p − 1 blocks received: both the least possible.
void circulant_allgather(Builder& builder);

/// Reduce-scatter: rank r ends with output block r complete. q rounds, p − 1 blocks sent and reduced.
/// Operands change places. Uses scratch.
void circulant_reduce_scatter(Builder& builder);

}  // namespace tutti
