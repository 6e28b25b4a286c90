#pragma once

#include "run/calls/call_size.hpp"
#include "run/process/process.hpp"
#include "run/requests/user_request.hpp"

namespace tutti::run {

/// A nonblocking collective as the interposed entry points call it: decides, then starts the plan
/// or the native operation. Returns MPI's error code.
template <Collective collective>
int start(MPI_Comm comm, const Call& call, MPI_Request* request);

/// The way a call goes that returns at once. Without a plan and a place to count it the MPI library
/// will say what is wrong with it.
struct Way {
  Decision* decision = nullptr;  ///< whose plan serves it
  Use* natively = nullptr;       ///< where it is counted if none does
  ClassTuner* tuner = nullptr;   ///< that it belongs to
  CallFacts facts{0};
  bool is_undecided = false;  ///< yet: ranks are agreeing on it; nothing else is known then
};
/// The way of a call; `of_request` is the size of a persistent request where a decision goes by it
/// and ranks have told each other.
Way way_of(Called called, CommunicatorState& state, const Call& call,
           std::optional<SizeClass> of_request = std::nullopt);

/// Starts a call that goes that way; by a plan its request is `own`, or a new one where that is
/// null. Returns MPI's error code.
int start_by(const Way& way, CommunicatorState& state, Called called, const Call& call,
             std::unique_ptr<UserRequest> own, MPI_Request* request);

/// Starts a call by the plan of a decision, which serves it, on a communicator whose ranks have
/// met; its request is `own`. Returns MPI's error code.
int start_by_plan(Communicator& communicator, Decision& decision, const Call& call, const CallFacts& facts,
                  std::unique_ptr<UserRequest> own, MPI_Request* request);

}  // namespace tutti::run
