#include "run/calls/run_to_end.hpp"

namespace tutti::run {

int run_driven(Communicator& communicator, const Program& program) {
  const auto run = [&] {
    Execution& execution = communicator.workspace().execution;
    execution.start(program, communicator.context().comm(), communicator.context().first_tag(),
                    communicator.memory());
    return drive_until([&](int* done) {
      bool is_done = false;
      const int error = execution.test(is_done);
      *done = is_done;
      return error;
    });
  };
  return program.phases().empty() ? run() : blocking(communicator.user(), run);
}

}  // namespace tutti::run
