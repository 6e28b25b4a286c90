#pragma once

#include "run/calls/communicator.hpp"
#include "run/calls/under_way.hpp"

namespace tutti::run {

/// Runs the program of a blocking call while nonblocking calls are under way. `in_memory`: it may
/// go through memory that ranks share. Returns MPI's error code.
int run_driven(Communicator& communicator, const Program& program, bool in_memory);

/// Runs one that may go through that memory. It fails where the memory is spoilt, and spoils it
/// where it fails itself and leaves messages there.
int run_in_memory(Communicator& communicator, const Program& program, HostMemory& memory);

/// Runs the program of a blocking call to its end, and drives on what is under way meanwhile.
/// `in_memory`: it may go through memory that ranks share. Returns MPI's error code.
inline int run_to_end(Communicator& communicator, const Program& program, bool in_memory) {
  if (HostMemory* const memory = in_memory ? communicator.memory() : nullptr)
    return run_in_memory(communicator, program, *memory);
  if (any_under_way()) [[unlikely]]
    return run_driven(communicator, program, in_memory);
  return communicator.workspace().execution.run(program, communicator.context().comm(),
                                                communicator.context().first_tag(), communicator.memory());
}

}  // namespace tutti::run
