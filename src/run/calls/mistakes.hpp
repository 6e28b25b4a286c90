#pragma once

#include "run/calls/communicator.hpp"
#include "run/mpi/call.hpp"

namespace tutti::run {

/// Whether the MPI library would report something of a call that is wrong and can be seen at no
/// cost: an output that is MPI_IN_PLACE, the null pointer or the input itself. Then it gets the
/// call, as it would natively on just this rank. Mistakes that it lets pass are none.
bool is_reported(Collective collective, const Communicator& communicator, const Call& call);

}  // namespace tutti::run
