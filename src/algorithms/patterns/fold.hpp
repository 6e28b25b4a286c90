#pragma once

#include "algorithms/patterns/team.hpp"

namespace tutti {

/// Any number of ranks folded to a power of two: of the first 2·surplus ranks the odd ones step aside, and
/// their even left neighbours stand for both. Neighbours stay neighbours, so rank order is kept.
struct Fold {
  explicit Fold(int ranks) : size(power_of_two_below(ranks)), surplus(ranks - size) {}
  int size;     ///< how many remain: a power of two
  int surplus;  ///< how many step aside

  bool in_pair(Rank rank) const { return rank < 2 * surplus; }
  bool steps_aside(Rank rank) const { return in_pair(rank) && rank % 2 == 1; }
  /// The number of a rank among those that remain, and back.
  int member(Rank rank) const { return in_pair(rank) ? rank / 2 : rank - surplus; }
  Rank rank(int member) const { return member < surplus ? 2 * member : member + surplus; }
};

}  // namespace tutti
