#pragma once

#include <atomic>

#include "runtime/communicator.hpp"

namespace tutti::runtime {

class Pending;

/// How many nonblocking calls by plans are under way in this process.
inline constinit std::atomic<int> under_way{0};
inline bool any_under_way() {
  return under_way.load(std::memory_order_relaxed) > 0;
}

/// Begins a call and posts its first messages. Returns MPI's error code.
int begin(const std::shared_ptr<Pending>& pending);

/// Drives all calls under way as far as they go without waiting, but for those that another thread drives.
void progress();

/// Drives what this thread has started before it blocks in the MPI library, where it could not
/// drive on what others may wait for. What it has started on `comm` is completed, for all ranks
/// start that before they come; the rest as long as there is patience, for others may start it only
/// when this rank has gone on. Nothing where a thread drives.
void drive_before_blocking(MPI_Comm comm);
inline void complete_before_blocking(MPI_Comm comm = MPI_COMM_NULL) {
  if (any_under_way()) [[unlikely]]
    drive_before_blocking(comm);
}

/// Drives calls until those of a communicator are complete, or a single one is.
/// @{
void complete_all_on(const Communicator& communicator);
void complete(const Pending& pending);
/// @}

/// If a request belongs to the only call under way: waits for it, which costs less than looking again and
/// again.
void complete_if_only(MPI_Request request);

/// Take a handle from the program that calls under way, or to be started again, may still need, and free it
/// when there are none.
/// @{
int free_type_later(MPI_Datatype* type);
int free_op_later(MPI_Op* op);
void free_what_waits();
/// @}

/// Drives calls from a thread of its own from now on, for programs that compute for long between
/// calls. False where that does not go: MPI may not let several threads call.
bool drive_by_thread();
/// Ends that thread, if there is one.
void end_thread();

}  // namespace tutti::runtime
