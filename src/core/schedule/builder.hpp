#pragma once

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "core/schedule/hazards.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// `count` blocks of a buffer from `first` on, counted around a circle of `modulus` blocks: one
/// range, or two where it wraps. `first` may lie anywhere, also below 0.
Ranges cyclic(Buffer buffer, int first, int count, int modulus);

/// What the ranks and blocks of a schedule are in another one of which it is a phase.
struct Embedding {
  std::function<Rank(Rank)> rank;
  std::function<Ranges(const BlockRange&)> place;
};

/// Writes one rank's part of a schedule as a sequential program. What may overlap follows from the
/// blocks the operations touch: each waits for just those earlier ones it would otherwise race
/// with.
///
/// Messages between two ranks match in the order in which the two parts list them. Operations on no
/// blocks are left out, on both sides alike.
class Builder {
 public:
  Builder(const Shape& shape, Rank rank)
      : shape_(shape), rank_(rank), hazards_(traits(shape.collective).aliases) {}

  const Shape& shape() const { return shape_; }
  int ranks() const { return shape_.ranks; }
  int blocks() const { return shape_.blocks; }
  Rank root() const { return shape_.root; }
  Rank rank() const { return rank_; }

  /// Whether messages that are added from now on go through memory between ranks of one host.
  void through_memory(bool memory) { memory_ = memory; }

  void send(Rank to, const Ranges& what) { send(to, what, {}); }
  /// Sends after those earlier operations, too, though no block asks for it. Returns the
  /// operation's number, −1 for no blocks.
  OperationId send(Rank to, const Ranges& what, std::span<const OperationId> after);
  void recv(Rank from, const Ranges& where);
  /// into = from ∘ into, or into ∘ from, element by element; the ranges are equally long.
  void reduce(BlockRange into, BlockRange from, OperandOrder order);
  void copy(BlockRange into, BlockRange from);
  /// Copies equally many blocks in several ranges.
  void copy(const Ranges& into, const Ranges& from);
  /// Makes blocks what changes nothing in a reduction: zero bytes, for which the call has to have
  /// the operation.
  void clear(BlockRange what);
  /// A phase of the MPI library's own. It blocks: all before is complete when it begins, and it is
  /// complete before anything after begins.
  void native(NativePhase phase);
  /// All of another schedule's part, as a phase of this one. Where blocks are in several ranges
  /// here, its operations become several; those on nothing are left out.
  void include(const Part& part, const Embedding& as);

  /// Starts a round: all that is added from now on waits for all that was added before.
  void next_round();

  /// Starts a phase of a composition: what is added from now on is in it. It need not wait for what
  /// is before.
  void next_phase();

  Part finish() &&;

 private:
  void append(Operation operation, std::span<const BlockRange> reads, std::span<const BlockRange> writes,
              std::span<const BlockRange> ranges);

  Shape shape_;
  Rank rank_;
  Part part_;
  HazardTracker hazards_;
  std::map<Rank, int> sent_, received_;  // messages so far, by peer
  std::vector<bool> awaited_;            // by operation: has a later one waiting for it
  std::vector<OperationId> gate_;        // what the current round waits for
  std::vector<OperationId> further_;     // what the next operation waits for besides
  std::vector<OperationId> after_;       // what it waits for
  OperationId round_begin_ = 0, phase_begin_ = 0;
  std::uint8_t phase_ = 0;
  bool memory_ = false;
};

}  // namespace tutti::inline core
