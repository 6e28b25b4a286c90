#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "choose/evidence/measurer.hpp"
#include "programs/measuring/trees.hpp"

namespace tutti::run {

/// Repeats measurements within an effort, whose time begins with this. All functions are collective
/// over the communicator of the trees.
class Rounds {
 public:
  Rounds(Trees trees, Measurer::Effort effort) : trees_(trees), effort_(effort) {}

  /// Whether the effort's seconds have passed, by rank 0.
  bool time_is_up() const;

  /// Times `things` things in turn, again and again; time(i) gives this rank's seconds of one of
  /// them. Result: by thing and repetition the slowest rank's, on rank 0.
  std::vector<std::vector<double>> slowest(std::size_t things,
                                           const std::function<double(std::size_t)>& time) const;

 private:
  // The time of the one who waits: a simulation's own passes otherwise.
  using Clock = std::chrono::steady_clock;

  Trees trees_;
  Measurer::Effort effort_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace tutti::run
