#pragma once

#include "plan/plan.hpp"
#include "runtime/call.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {

/// Carries a call out by a plan that is not native, on a communicator whose hidden one exists. Collective;
/// all ranks have to come with the same plan, which does not refuse the call. Counts, types, operation and
/// root have to be valid. `commutative` says whether operands may change places. Returns MPI's error code.
int carry_out(Communicator& communicator, const Plan& plan, const Call& call, bool commutative = true);

}  // namespace tutti::runtime
