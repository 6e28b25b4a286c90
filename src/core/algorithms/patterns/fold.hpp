#pragma once

#include "core/algorithms/patterns/halving.hpp"
#include "core/algorithms/patterns/team.hpp"
#include "core/algorithms/patterns/workspace.hpp"

namespace tutti::inline core {

/// Any number of ranks folded to a power of two, or another size not below half of it: of the first
/// 2·surplus ranks the odd ones step aside, and their even left neighbours stand for both. A rank
/// that has to stay (a root) changes roles with its neighbour. Neighbours stay neighbours, so rank
/// order is kept.
struct Fold {
  explicit Fold(int ranks, Rank stays = 0) : Fold(ranks, stays, power_of_two_below(ranks)) {}
  Fold(int ranks, Rank stays, int remain)
      : size(remain),
        surplus(ranks - size),
        swapped(stays < 2 * surplus && stays % 2 == 1 ? stays / 2 : -1) {}
  int size;     ///< how many remain
  int surplus;  ///< how many step aside
  int swapped;  ///< the member that is the odd one of its pair; −1: none

  bool in_pair(Rank rank) const { return rank < 2 * surplus; }
  bool steps_aside(Rank rank) const { return in_pair(rank) && (rank % 2 == 1) != (rank / 2 == swapped); }
  /// The other one of a pair.
  static Rank neighbour(Rank rank) { return rank ^ 1; }
  /// The number of a rank among those that remain, and back.
  int member(Rank rank) const { return in_pair(rank) ? rank / 2 : rank - surplus; }
  Rank rank(int member) const {
    return member < surplus ? 2 * member + (member == swapped) : member + surplus;
  }
  Hypercube hypercube(Rank me) const {
    return {size, member(me), [fold = *this](int member_) { return fold.rank(member_); }};
  }
};

/// A pair combines its partial results of `blocks` blocks, each rank a half, and the one that
/// remains collects both. Rank order is kept.
void fold_pairs(Builder& builder, const Fold& fold, const Workspace& workspace, int blocks);

}  // namespace tutti::inline core
