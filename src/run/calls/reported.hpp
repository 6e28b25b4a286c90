#pragma once

#include <exception>
#include <new>

#include "choose/settings/log.hpp"
#include "run/calls/communicator.hpp"

namespace tutti::run {

/// Runs something of which a standard exception becomes an error code. Returns MPI's error code.
template <typename Run>
int caught(Run&& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  } catch (const std::exception& exception) {
    Log::print(fmt::format("tutti: a collective call failed: {}\n", exception.what()));
    return MPI_ERR_OTHER;
  }
}

/// Runs what an entry point does: no exception leaves it, but an error for the communicator's
/// handler. Returns MPI's error code.
template <typename Run>
int guarded(MPI_Comm comm, Run&& run) {
  bool thrown = true;
  const int error = caught([&] {
    const int code = run();
    thrown = false;
    return code;
  });
  if (thrown) PMPI_Comm_call_errhandler(comm, error);
  return error;
}

/// Runs a call by a plan and hands its error on: to the handler of the user's communicator. Returns
/// MPI's error code.
template <typename Run>
int reported(MPI_Comm comm, Communicator& communicator, Run&& run) {
  const int error = caught(run);
  if (error == MPI_SUCCESS) return error;
  communicator.spoil_context();
  PMPI_Comm_call_errhandler(comm, error);
  return error;
}

}  // namespace tutti::run
