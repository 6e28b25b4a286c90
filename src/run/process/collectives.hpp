#pragma once

#include "run/mpi/call.hpp"

namespace tutti::run {

/// A collective as the interposed entry points call it: decides, then runs the plan or the native
/// operation. Returns MPI's error code.
template <Collective collective>
int run(MPI_Comm comm, const Call& call);

}  // namespace tutti::run
