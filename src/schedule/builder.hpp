#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <vector>

#include "schedule/hazards.hpp"
#include "schedule/schedule.hpp"

namespace tutti {

/// The ranges of one message. Empty ranges are dropped.
class Ranges {
 public:
  Ranges() = default;
  Ranges(BlockRange range) { add(range); }
  Ranges(std::initializer_list<BlockRange> ranges) {
    for (const BlockRange& range : ranges) add(range);
  }
  void add(BlockRange range) {
    if (range.count > 0) ranges_.push_back(range);
  }
  bool empty() const { return ranges_.empty(); }
  operator std::span<const BlockRange>() const { return ranges_; }
  auto begin() const { return ranges_.begin(); }
  auto end() const { return ranges_.end(); }

 private:
  std::vector<BlockRange> ranges_;
};

/// `count` blocks of a buffer from `first` on, counted around a circle of `modulus` blocks: one range, or two
/// where it wraps. `first` may lie anywhere, also below 0.
Ranges cyclic(Buffer buffer, int first, int count, int modulus);

/// Writes one rank's part of a schedule as a sequential program. What may overlap follows from the blocks the
/// operations touch: each waits for just those earlier ones it would otherwise race with.
///
/// Messages between two ranks match in the order in which the two parts list them. Operations on no blocks
/// are left out, on both sides alike.
class Builder {
 public:
  Builder(const Shape& shape, Rank rank)
      : shape_(shape), rank_(rank), hazards_(traits(shape.collective).aliases) {}

  const Shape& shape() const { return shape_; }
  int ranks() const { return shape_.ranks; }
  int blocks() const { return shape_.blocks; }
  Rank root() const { return shape_.root; }
  Rank rank() const { return rank_; }

  void send(Rank to, const Ranges& what);
  void recv(Rank from, const Ranges& where);
  /// into = from ∘ into, or into ∘ from, element by element; the ranges are equally long.
  void reduce(BlockRange into, BlockRange from, OperandOrder order);
  void copy(BlockRange into, BlockRange from);
  /// A phase of the MPI library's own; `into` is what this rank gets, `from` what it gives.
  void native(NativePhase phase, const Ranges& into, const Ranges& from);

  /// Starts a round: all that is added from now on waits for all that was added before.
  void next_round();

  Part finish() &&;

 private:
  OperationId append(Operation operation, std::span<const BlockRange> reads,
                     std::span<const BlockRange> writes, std::span<const BlockRange> ranges);

  Shape shape_;
  Rank rank_;
  Part part_;
  HazardTracker hazards_;
  std::map<Rank, int> sent_, received_;  // messages so far, by peer
  std::vector<bool> awaited_;            // by operation: has a later one waiting for it
  std::vector<OperationId> gate_;        // what the current round waits for
  OperationId round_begin_ = 0;
};

}  // namespace tutti
