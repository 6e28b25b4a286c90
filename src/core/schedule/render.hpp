#pragma once

#include <string>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// One operation in words: "send to 3: output 0-3", "reduce output 2 = scratch 2 * output 2".
std::string describe(const Part& part, const Operation& operation);

/// A whole schedule in words, step by step: which messages travel in each step, and what is
/// combined after it. A message's step is the earliest possible if every message, and every native
/// phase, takes one step and local work none.
std::string render(const Schedule& schedule);

/// The step in which each operation completes, by rank and operation; −1: never.
std::vector<std::vector<int>> step_of_operations(const Schedule& schedule);

/// The number of steps of that kind a schedule takes.
int steps(const Schedule& schedule);

}  // namespace tutti::inline core
