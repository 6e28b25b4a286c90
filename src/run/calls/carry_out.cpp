#include "run/calls/carry_out.hpp"

#include "run/calls/call_execution.hpp"
#include "run/calls/run_to_end.hpp"

namespace tutti::run {

int carry_out(Communicator& communicator, const Plan& plan, const Call& call, bool commutative,
              BoundCall* bound, const DeviceLibrary* device) {
  Workspace& workspace = communicator.workspace();
  CallExecution call_execution(communicator, workspace, plan, call, commutative, Mode::blocking, device,
                               communicator.network_for(plan).get());
  int error = call_execution.begin();
  while (error == MPI_SUCCESS && call_execution.program()) {
    error = run_to_end(communicator, *call_execution.program());
    if (error == MPI_SUCCESS) error = call_execution.go_on();
  }
  if (bound) *bound = call_execution.bound();
  return error;
}

}  // namespace tutti::run
