#pragma once

#include <functional>

#include "core/algorithms/patterns/team.hpp"
#include "core/algorithms/patterns/workspace.hpp"
#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// K-nomial trees over a team, member 0 the root: binomial for radix 2. A member's parent is its
/// number with the lowest digit that is not zero set to zero, in base `radix`; its subtree is
/// consecutive, so that what a subtree holds is consecutive too. ⌈log_radix p⌉ levels; messages of
/// a level are under way together.

/// Member 0's output blocks [0, blocks) to everybody.
void knomial_bcast(Builder& builder, const Team& team, int radix);

/// How many members a member's subtree has, itself among them.
int knomial_subtree(const Team& team, int member, int radix);

/// Where this rank keeps the blocks of members [first, first + count), which are in its subtree.
using SubtreePlace = std::function<Ranges(int first, int count)>;

/// A block for every member from member 0, by way of the members between.
void knomial_scatter(Builder& builder, const Team& team, int radix, const SubtreePlace& place);

/// Every member's block to member 0, by way of the members between.
void knomial_gather(Builder& builder, const Team& team, int radix, const SubtreePlace& place);

/// The reduction of everybody's input, in the order of members, as member 0's partial result.
/// Copies of the vector after the workspace's `incoming` serve siblings that arrive together.
void knomial_reduce(Builder& builder, const Team& team, int radix, const Workspace& workspace);

}  // namespace tutti::inline core
