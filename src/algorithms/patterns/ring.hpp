#pragma once

#include "algorithms/patterns/team.hpp"
#include "schedule/builder.hpp"

namespace tutti {

/// Allgather around a ring: member m starts with output block m + shift (round p), and in each of p − 1
/// rounds passes on to its right neighbour what it got last from the left one.
void ring_allgather(Builder& builder, const Team& team, int shift = 0);

/// Reduce-scatter around a ring: partial results travel right and collect every member's share. Member m ends
/// with output block m + 1 (round p) complete. p − 1 rounds; operands change places. Uses scratch.
void ring_reduce_scatter(Builder& builder, const Team& team);

}  // namespace tutti
