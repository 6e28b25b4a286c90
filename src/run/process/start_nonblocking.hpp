#pragma once

#include "run/calls/call_size.hpp"
#include "run/process/process.hpp"

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
};
Way way_of(Called called, CommunicatorState& state, const Call& call);

/// Starts a call by the plan of a decision, which serves it, on a communicator whose ranks have
/// met. Returns MPI's error code.
int start_by_plan(Communicator& communicator, Decision& decision, const Call& call, const CallFacts& facts,
                  MPI_Request* request);

}  // namespace tutti::run
