#pragma once

#include "core/schedule/collective.hpp"

namespace tutti::inline core {

/// How the ranks of a schedule are alike: a move of all ranks takes each to one of the first
/// `classes` ranks, and its part to that one's. A schedule that has a symmetry needs the parts of
/// these only.
struct Symmetry {
  enum class Move : unsigned char {
    none,          ///< every rank stands for itself
    rotation,      ///< by multiples of `classes` round the circle
    exclusive_or,  ///< with multiples of `classes`; both it and the ranks are powers of two
  };
  Move move = Move::none;
  int classes = 0;
  bool with_blocks = false;  ///< a rank's blocks are moved with it; where that was looked at

  /// The rank that stands for another.
  int representative(int rank) const { return move == Move::none ? rank : rank % classes; }
  /// Where a rank is moved to by the move that takes `taken` to its representative.
  int moved(int rank, int taken, int ranks) const {
    const int by = taken - representative(taken);
    return move == Move::rotation       ? (rank - by + ranks) % ranks
           : move == Move::exclusive_or ? rank ^ by
                                        : rank;
  }
  /// Where a rank is moved to by the opposite move, which takes the representative to `taken`.
  int moved_back(int rank, int taken, int ranks) const {
    const int by = taken - representative(taken);
    return move == Move::rotation ? (rank + by) % ranks : moved(rank, taken, ranks);
  }
  /// Where the opposite move takes a block, of a vector of as many blocks as ranks, or a multiple.
  int block_moved_back(int block, int taken, int ranks, int blocks) const {
    if (!with_blocks) return block;
    const int of_a_rank = blocks / ranks;
    return moved_back(block / of_a_rank, taken, ranks) * of_a_rank + block % of_a_rank;
  }
  friend bool operator==(const Symmetry&, const Symmetry&) = default;
};

}  // namespace tutti::inline core
