#pragma once

#include <new>

#include "mpi/handles.hpp"

namespace tutti::runtime {

/// Runs something and hands its error on: to the communicator's handler. Returns MPI's error code.
template <typename Run>
int reported(MPI_Comm comm, Run&& run) {
  int error = MPI_SUCCESS;
  try {
    error = run();
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  }
  if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, error);
  return error;
}

}  // namespace tutti::runtime
