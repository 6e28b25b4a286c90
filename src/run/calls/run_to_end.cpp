#include "run/calls/run_to_end.hpp"

#include "run/transport/waiting.hpp"

namespace tutti::run {

int run_driven(Communicator& communicator, const Program& program) {
  const auto run = [&] {
    Execution& execution = communicator.workspace().execution;
    execution.start(program, communicator.context().comm(), communicator.context().first_tag(),
                    communicator.memory());
    const HostMemory* const memory = communicator.memory();
    // A look at memory drives nothing of the MPI library's on, and others may wait for that.
    Waiting waiting(communicator.context().comm(), memory && memory->is_crowded());
    return drive_until([&](int* done) {
      bool is_done = false;
      const int error = execution.test(is_done);
      *done = is_done;
      return error != MPI_SUCCESS || is_done ? error : waiting.pause();
    });
  };
  return program.phases().empty() ? run() : blocking(communicator.user(), run);
}

}  // namespace tutti::run
