#pragma once

#include "core/algorithms/patterns/team.hpp"
#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// Allgather by recursive doubling, any p: member m starts with output block m; groups of 2^k
/// members, each holding the group's blocks, exchange them with the neighbouring group. ⌈log2 p⌉
/// rounds for powers of two. Otherwise the last group is cut short, and those of its neighbours
/// that have no partner in it get its blocks from those that have, in up to as many rounds again.
/// Source: Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in
/// MPICH, 2005, 4.1.1.
void recursive_doubling_allgather(Builder& builder, const Team& team);

}  // namespace tutti::inline core
