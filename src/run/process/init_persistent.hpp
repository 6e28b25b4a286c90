#pragma once

#include "run/calls/call.hpp"

namespace tutti::run {

#if MPI_VERSION >= 4
/// A persistent collective as the interposed entry points make it: decides, and binds the plan, or lets the
/// MPI library make its own request. Collective. Returns MPI's error code.
template <Collective collective>
int init(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request);
#endif

}  // namespace tutti::run
