#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "choose/profile/call_sample.hpp"
#include "choose/profile/profile.hpp"
#include "run/online/learner.hpp"
#include "run/process/program_phases.hpp"
#include "run/process/ticks.hpp"

namespace tutti::run {

/// What one rank spent in calls of a kind.
struct CallRecord {
  SizeClass size;
  const Decision* decision;  ///< that serves them
  const ClassTuner* tuner;   ///< that they belong to; null: none
  int phase;                 ///< of the program
  std::uint64_t calls = 0, bytes = 0, ticks = 0, shortest = ~std::uint64_t{0};
  CallSample sample = {};

  void add(std::uint64_t took, std::ptrdiff_t more) {
    sample.add(calls, took);
    ++calls;
    bytes += static_cast<std::uint64_t>(more);
    ticks += took;
    if (took < shortest) shortest = took;
  }
};

/// What one rank spent in calls on a communicator, by operation, size, phase and what serves them.
/// There is room for `most_kinds_of_operation` kinds, whatever a program does; what comes beyond
/// goes to the last one. Calls that the program wants to be left out take none of it.
class CommunicatorProfile {
 public:
  CallRecord& record(Collective collective, std::ptrdiff_t size, const Decision* decision,
                     const ClassTuner* tuner);
  /// Adds the records to a rank's profile.
  void add_to(Profile& profile, const Communicator& communicator, double seconds_a_tick) const;

 private:
  std::array<std::deque<CallRecord>, collectives.size()> records_;
  CallRecord left_out_{SizeClass::of(0), nullptr, nullptr, phase_left_out};  // nobody reads it
};

/// What all ranks of the world profiled, on its rank 0; elsewhere nothing. All of them have to call
/// it, on a communicator of all, in whatever order that has them. Profiles go up a binomial tree,
/// merging on the way.
std::optional<Profile> collected(Profile own, MPI_Comm comm);

}  // namespace tutti::run
