#pragma once

#include <vector>

#include "choose/evidence/rules.hpp"
#include "choose/planner/online_candidates.hpp"

namespace tutti::run {

struct Learning;
class Communicator;

/// The MPI library's own algorithms that plans can ask for in a class of calls on a communicator,
/// as far as this rank sees, and of which one of ours does the same. The first look at them takes
/// long in Open MPI, which loads all that it has: there are none as long as the run has not paid
/// for it.
std::vector<LibraryPlan> library_plans(Learning& learning, const LearningRules& rules,
                                       const Communicator& communicator, const CallClass& calls);

/// All ranks take that first look before they try such plans: within a call it would count as the
/// plan's time.
void look_at_library(Learning& learning, const std::vector<Plan>& plans);

}  // namespace tutti::run
