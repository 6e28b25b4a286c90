#pragma once

#include <atomic>

namespace tutti::run {

/// How the ranks of a host go through stages together: in each everyone shows something in memory
/// of its own, and looks at what all others show. Everyone has two places, for even stages and for
/// odd ones, and a number that says which stage it has shown. As nobody begins a stage before it
/// has seen all others in the one before, a place is written again only when all have done with
/// what was there. There are no locks, and nobody waits in here.
///
/// `Sequence` may wrap around at a multiple of two, from four on. `Shared` has `shown(rank)`,
/// atomic numbers that are 0 at first.
///
/// Source: after the sense-reversing barrier of Mellor-Crummey and Scott, Algorithms for Scalable
/// Synchronization on Shared-Memory Multiprocessors, 1991.
template <typename Sequence>
class Stages {
 public:
  /// Begins the next stage, when all others were seen in the last one.
  void begin() { ++number_; }
  /// Number of this stage's place, one's own and the others'.
  int place() const { return number_ % 2; }
  /// What is to be seen is in place.
  template <typename Shared>
  void show(Shared& shared, int me) const {
    shared.shown(me).store(number_, std::memory_order_release);
  }
  /// Whether a rank shows what belongs to this stage. It can't be further than one stage away.
  template <typename Shared>
  bool sees(Shared& shared, int rank) const {
    Sequence next = shared.shown(rank).load(std::memory_order_acquire);
    return ++next != number_;
  }

 private:
  Sequence number_ = 0;
};

}  // namespace tutti::run
