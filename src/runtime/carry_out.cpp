#include "runtime/carry_out.hpp"

#include "runtime/carriage.hpp"
#include "runtime/run_to_end.hpp"

namespace tutti::runtime {

int carry_out(Communicator& communicator, const Plan& plan, const Call& call, bool commutative,
              BoundCall* bound) {
  Workspace& workspace = communicator.workspace();
  Carriage carriage(communicator, workspace, plan, call, commutative, Mode::blocking);
  int error = carriage.begin();
  while (error == MPI_SUCCESS && carriage.program()) {
    error = run_to_end(communicator, *carriage.program());
    if (error == MPI_SUCCESS) error = carriage.go_on();
  }
  if (bound) *bound = carriage.bound();
  return error;
}

}  // namespace tutti::runtime
