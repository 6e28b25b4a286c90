#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "choose/profile/profile.hpp"
#include "run/calls/inside.hpp"
#include "run/process/constants.hpp"
#include "run/process/program_phases.hpp"
#include "run/process/ticks.hpp"

namespace tutti::run {

/// How often this thread called a function of MPI, what it sent with it, and how long that took.
struct FunctionCount {
  std::uint64_t calls = 0, bytes = 0, ticks = 0;
};

using FunctionCounts = std::array<FunctionCount, process::most_functions>;

/// A thread's counts, which stay when it has ended.
FunctionCounts& counts_of_thread();

/// A number below most_functions for a function that is to be counted, by its name in MPI.
std::size_t number_of_function(std::string name);

/// Adds what all threads counted to a rank's profile.
void add_function_counts(Profile& profile, double seconds_a_tick);

/// Does a call of the program's and counts it; a call of ours, and one that the program wants to be
/// left out, is only done. What it sends is only asked for when it has succeeded, for its arguments
/// may be wrong.
template <typename Bytes, typename Call>
int counted_function(std::size_t number, Bytes&& bytes, Call&& call) {
  if (memo.inside || current_phase.load(std::memory_order_relaxed) == phase_left_out) return call();
  const std::uint64_t begin = ticks();
  const int error = call();
  FunctionCount& count = counts_of_thread()[number];
  ++count.calls;
  count.ticks += ticks() - begin;
  if (error == MPI_SUCCESS) count.bytes += bytes();
  return error;
}

}  // namespace tutti::run
