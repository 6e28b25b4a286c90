#include "run/calls/run_to_end.hpp"

namespace tutti::run {

int run_driven(Communicator& communicator, const Program& program, bool in_memory) {
  const auto run = [&] {
    Execution& execution = communicator.workspace().execution;
    const MPI_Comm comm = communicator.context().comm();
    const HostMemory* const memory = communicator.memory();
    execution.start(program, comm, communicator.context().first_tag(), communicator.memory());
    // A look at memory drives nothing of the MPI library's on, and others may wait for that.
    Waiting waiting =
        memory && in_memory ? memory->waiting(comm) : Waiting(comm, memory && memory->is_crowded());
    return drive_until([&](int* done) {
      bool is_done = false;
      const int error = execution.test(is_done);
      *done = is_done;
      return error != MPI_SUCCESS || is_done ? error : waiting.pause();
    });
  };
  return program.phases().empty() ? run() : blocking(communicator.user(), run);
}

int run_in_memory(Communicator& communicator, const Program& program, HostMemory& memory) {
  if (const int error = memory.spoilt_by(); error != MPI_SUCCESS) return error;
  Execution& execution = communicator.workspace().execution;
  try {
    const int error = any_under_way() ? run_driven(communicator, program, true)
                                      : execution.run(program, communicator.context().comm(),
                                                      communicator.context().first_tag(), &memory);
    if (error != MPI_SUCCESS && execution.leaves_messages(error)) memory.spoil(error);
    return error;
  } catch (...) {
    memory.spoil(MPI_ERR_OTHER);
    throw;
  }
}

}  // namespace tutti::run
