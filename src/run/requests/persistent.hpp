#pragma once

#include <memory>

#include "run/online/native_timer.hpp"
#include "run/requests/pending.hpp"
#include "run/requests/persistent_call.hpp"

/// Requests of collectives that are started again and again.
namespace tutti::run {

/// A call that one plan carries out at every start, with these tags.
std::shared_ptr<PersistentCall> by_one_plan(std::shared_ptr<Pending> pending, TagsOfRequest tags);

/// Keeps a call for its request. `release` is called for a communicator that the user has freed
/// before when its last request is freed.
void keep_persistent(const std::shared_ptr<PersistentCall>& call, void (*release)(Communicator&));
/// Times the starts of a request of the MPI library's.
void time_persistent(MPI_Request request, std::unique_ptr<NativeTimer> timer);

/// MPI_Start, MPI_Startall and MPI_Request_free of requests of which some may be ours, or timed.
/// @{
int start_persistent(MPI_Request* request);
int start_all_persistent(int count, MPI_Request* requests);
int free_persistent(MPI_Request* request);
/// @}

/// Frees the requests of ours that the program has not freed. They are not valid any more.
void free_all_persistent();

}  // namespace tutti::run
