#pragma once

#include "runtime/call.hpp"

namespace tutti::runtime {

/// A nonblocking collective as the interposed entry points call it: decides, then starts the plan or the
/// native operation. Returns MPI's error code.
template <Collective collective>
int start(MPI_Comm comm, const Call& call, MPI_Request* request);

}  // namespace tutti::runtime
