#pragma once

#include "run/calls/bound_call.hpp"
#include "run/execution/device.hpp"

namespace tutti::run {

/// Carries a call out by a plan that is not native, on a communicator whose ranks have met.
/// Collective; all ranks have to come with the same plan, which does not refuse the call. Counts,
/// types, operation and root have to be valid. `commutative` says whether operands may change
/// places. `bound`, if not null, takes how another call with the same arguments can be carried out.
/// `device` is the library of devices that is loaded, or null: then no buffer lies on one. Returns
/// MPI's error code.
int carry_out(Communicator& communicator, const Plan& plan, const Call& call, bool commutative = true,
              BoundCall* bound = nullptr, const DeviceLibrary* device = nullptr);

}  // namespace tutti::run
