#pragma once

#include "runtime/call_size.hpp"
#include "runtime/routing.hpp"

namespace tutti::runtime {

/// A nonblocking collective as the interposed entry points call it: decides, then starts the plan or the
/// native operation. Returns MPI's error code.
template <Collective collective>
int start(MPI_Comm comm, const Call& call, MPI_Request* request);

/// Starts a call by the plan of a decision, which serves it, on a communicator with a hidden one. Returns
/// MPI's error code.
int start_by_plan(Communicator& communicator, Decision& decision, const Call& call, const CallFacts& facts,
                  MPI_Request* request);

}  // namespace tutti::runtime
