#pragma once

#include "core/algorithms/patterns/team.hpp"
#include "core/algorithms/patterns/workspace.hpp"
#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// Allgather around a ring: member m starts with output block m + shift (round p), and in each of p
/// − 1 rounds passes on to its right neighbour what it got last from the left one.
void ring_allgather(Builder& builder, const Team& team, int shift = 0);

/// Reduce-scatter of everybody's input around a ring: partial results travel right and collect
/// every member's share. Member m ends with block m + 1 (round p) of its partial result complete. p
/// − 1 rounds; operands change places.
void ring_reduce_scatter(Builder& builder, const Team& team, const Workspace& workspace);

}  // namespace tutti::inline core
