#include "run/calls/carry_out.hpp"

#include "run/calls/call_execution.hpp"
#include "run/calls/run_to_end.hpp"

namespace tutti::run {

int carry_out(Communicator& communicator, const Plan& plan, const Call& call, bool commutative,
              BoundCall* bound, const DeviceLibrary* device) {
  Workspace& workspace = communicator.workspace();
  CallExecution call_execution(communicator, workspace, plan, call, commutative, Mode::blocking, device,
                               communicator.network_for(plan).get());
  const bool in_memory = plan.uses_memory();
  // Others may wait in memory for messages that the call does not come to.
  const auto between_programs = [&](int error) {
    if (error != MPI_SUCCESS && in_memory) communicator.spoil_memory(error);
    return error;
  };
  try {
    int error = between_programs(call_execution.begin());
    while (error == MPI_SUCCESS && call_execution.program()) {
      error = run_to_end(communicator, *call_execution.program(), in_memory);
      if (error == MPI_SUCCESS) error = between_programs(call_execution.go_on());
    }
    if (bound) *bound = call_execution.bound();
    if (error == MPI_SUCCESS) workspace.arena.shrink();
    return error;
  } catch (const NotHad&) {
    throw;  // as on all ranks
  } catch (...) {
    between_programs(MPI_ERR_OTHER);
    throw;
  }
}

}  // namespace tutti::run
