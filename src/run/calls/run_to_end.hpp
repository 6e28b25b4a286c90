#pragma once

#include "run/calls/communicator.hpp"
#include "run/calls/under_way.hpp"

namespace tutti::run {

/// Runs the program of a blocking call while nonblocking calls are under way. Returns MPI's error
/// code.
int run_driven(Communicator& communicator, const Program& program);

/// Runs the program of a blocking call to its end, and drives on what is under way meanwhile.
/// Returns MPI's error code.
inline int run_to_end(Communicator& communicator, const Program& program) {
  if (any_under_way()) [[unlikely]]
    return run_driven(communicator, program);
  return communicator.workspace().execution.run(program, communicator.context().comm(),
                                                communicator.context().first_tag(), communicator.memory());
}

}  // namespace tutti::run
