#pragma once

#include "runtime/carry_out.hpp"

namespace tutti::runtime {

/// The collectives as the interposed entry points call them: decide, then run the plan or the native
/// operation. Arguments and return values are MPI's.
int bcast(MPI_Comm comm, const BcastCall& call);
int allgather(MPI_Comm comm, const AllgatherCall& call);
int allreduce(MPI_Comm comm, const AllreduceCall& call);

/// MPI_Finalize.
int finalize();

}  // namespace tutti::runtime
