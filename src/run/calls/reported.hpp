#pragma once

#include <exception>
#include <new>

#include "choose/settings/log.hpp"
#include "run/calls/communicator.hpp"

namespace tutti::run {

/// Runs what an entry point does: no exception leaves it, but an error for the communicator's
/// handler. Returns MPI's error code.
template <typename Run>
int guarded(MPI_Comm comm, Run&& run) {
  try {
    return run();
  } catch (const std::exception& exception) {
    Log::print(fmt::format("tutti: a collective call failed: {}\n", exception.what()));
  }
  PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

/// Runs a call by a plan and hands its error on: to the handler of the user's communicator. Returns
/// MPI's error code.
template <typename Run>
int reported(MPI_Comm comm, Communicator& communicator, Run&& run) {
  int error = MPI_ERR_NO_MEM;
  try {
    error = run();
  } catch (const std::bad_alloc&) {
  }
  if (error == MPI_SUCCESS) return error;
  communicator.spoil();
  PMPI_Comm_call_errhandler(comm, error);
  return error;
}

}  // namespace tutti::run
