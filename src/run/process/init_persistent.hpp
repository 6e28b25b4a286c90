#pragma once

#include "run/mpi/call.hpp"

namespace tutti::run {

/// A persistent collective as the interposed entry points make it, where the MPI library has such:
/// decides, and binds the plan, or lets the MPI library make its own request. Collective. Returns
/// MPI's error code.
template <Collective collective>
int init(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request);

}  // namespace tutti::run
