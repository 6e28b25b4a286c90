#pragma once

#include <atomic>

#include "run/calls/communicator.hpp"
#include "run/calls/under_way.hpp"

namespace tutti::run {

class Pending;

/// How many persistent requests there are in this process that plans serve.
inline constinit std::atomic<int> persistent_requests{0};
inline bool any_persistent() {
  return persistent_requests.load(std::memory_order_relaxed) > 0;
}

/// Lets calls that block drive on what is under way, from now on.
void begin_driving();

/// Begins a call and posts its first messages. Returns MPI's error code.
int begin(const std::shared_ptr<Pending>& pending);

/// Drives calls until those of a communicator are complete, or a single one is.
/// @{
void complete_all_on(const Communicator& communicator);
void complete(const Pending& pending);
/// @}

/// If a request belongs to the only call under way: waits for it, which costs less than looking
/// again and again.
void complete_if_only(MPI_Request request);

/// Drives calls from a thread of its own from now on, for programs that compute for long between
/// calls. False where that does not go: MPI may not let several threads call.
bool drive_by_thread();
/// Whether what is under way goes on while a thread blocks in the MPI library: that drives it, or a
/// thread of its own can.
bool goes_on_while_blocked();
/// Ends that thread, if there is one, and what the MPI library drives, before MPI ends.
void end_driving();

}  // namespace tutti::run
