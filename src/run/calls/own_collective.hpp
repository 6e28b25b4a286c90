#pragma once

#include <memory>
#include <utility>

#include "run/calls/under_way.hpp"
#include "run/mpi/handles.hpp"

namespace tutti::run {

/// A nonblocking collective of the MPI library's that we call on the program's communicator, and
/// that goes on while the program does. Its buffers are the caller's, until it is finished.
class OwnCollective {
 public:
  OwnCollective() = default;
  OwnCollective(const OwnCollective&) = delete;
  OwnCollective& operator=(const OwnCollective&) = delete;
  /// Waits for the others, if they have not come all yet.
  ~OwnCollective() { finish(); }

  /// Starts it: `start(request)` returns MPI's error code.
  template <typename Start>
  void begin(Start&& start) {
    state_ = std::make_shared<State>();
    state_->error = start(&state_->request);
  }
  /// Whether it was begun and not finished yet.
  bool is_under_way() const { return state_ != nullptr; }

  /// From now on it is asked whether it is complete whenever the program calls, or only where it
  /// waits (Errand), and before other collectives of its communicator: the library may drive
  /// nothing on in these.
  void drive(MPI_Comm comm, bool where_waited = false) {
    see_to({comm, [state = state_] { return state->is_complete(); }, false, where_waited});
  }
  /// Whether it is known to be complete, or has failed: looks at a number only.
  bool is_complete() const { return !state_ || state_->is_over(); }

  /// Waits for the others, and drives on what is under way, which they may wait for. Returns MPI's
  /// error code.
  int finish() {
    const std::shared_ptr<State> state = std::move(state_);
    if (!state) return MPI_SUCCESS;
    if (!state->is_over() && !any_under_way()) state->error = PMPI_Wait(&state->request, MPI_STATUS_IGNORE);
    drive_until([&](int* done) {
      *done = state->is_complete();
      return MPI_SUCCESS;
    });
    return state->error;
  }

 private:
  struct State {
    MPI_Request request = MPI_REQUEST_NULL;
    int error = MPI_SUCCESS;

    bool is_over() const { return error != MPI_SUCCESS || request == MPI_REQUEST_NULL; }
    bool is_complete() {
      int done = 0;
      if (!is_over()) error = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return is_over();
    }
  };
  std::shared_ptr<State> state_;
};

}  // namespace tutti::run
