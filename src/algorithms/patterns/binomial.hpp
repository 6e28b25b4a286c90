#pragma once

#include "algorithms/patterns/team.hpp"
#include "schedule/builder.hpp"

namespace tutti {

/// Binomial trees over a team, member 0 the root. Member m's parent is m without its lowest bit; its subtree
/// is the members from m to m + lowest bit − 1, so that what a subtree holds is consecutive. ⌈log2 p⌉ rounds
/// each.

/// Member 0's output blocks [0, blocks) to everybody.
void binomial_bcast(Builder& builder, const Team& team, int blocks);

/// Output block m of member 0 to member m. Inner members keep their subtree's blocks on the way.
void binomial_scatter(Builder& builder, const Team& team);

/// Output block m of every member m to member 0.
void binomial_gather(Builder& builder, const Team& team);

/// The reduction of everybody's output blocks [0, blocks) in member 0's output, in the order of members.
/// Uses as many blocks of scratch.
void binomial_reduce(Builder& builder, const Team& team, int blocks);

}  // namespace tutti
