#pragma once

#include <new>

#include "runtime/communicator.hpp"

namespace tutti::runtime {

/// Runs a call by a plan and hands its error on: to the handler of the user's communicator. Returns MPI's
/// error code.
template <typename Run>
int reported(MPI_Comm comm, Communicator& communicator, Run&& run) {
  int error = MPI_SUCCESS;
  try {
    error = run();
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  }
  if (error == MPI_SUCCESS) return error;
  communicator.spoil();
  PMPI_Comm_call_errhandler(comm, error);
  return error;
}

}  // namespace tutti::runtime
