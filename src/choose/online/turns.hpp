#pragma once

#include <cstdint>
#include <vector>

#include "choose/online/batch.hpp"

namespace tutti::inline choose {

/// How arms take turns: cycle by cycle, or some cycles at a time, each in an order of its own,
/// which follows from the seed and from how many were drawn before.
class Turns {
 public:
  explicit Turns(std::uint64_t seed) : state_(seed) {}

  /// Batches of `calls` calls: one by each arm in each of `count` cycles. Those of an arm in up to
  /// `together` cycles follow one another; of several, behind a call by it that is not measured.
  std::vector<Batch> cycles(const std::vector<std::size_t>& arms, int count, int calls, int together = 1);

 private:
  std::vector<std::size_t> shuffled(std::vector<std::size_t> arms);
  std::uint64_t random();

  std::uint64_t state_;
};

}  // namespace tutti::inline choose
