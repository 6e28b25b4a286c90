#pragma once

#include <memory>

#include "run/requests/pending.hpp"

/// Requests of collectives that are started again and again.
namespace tutti::run {

/// Keeps a call for its request. `release` is called for a communicator that the user has freed
/// before when its last request is freed.
void keep_persistent(const std::shared_ptr<Pending>& call, void (*release)(Communicator&));

/// MPI_Start, MPI_Startall and MPI_Request_free of requests of which some may be ours.
/// @{
int start_persistent(MPI_Request* request);
int start_all_persistent(int count, MPI_Request* requests);
int free_persistent(MPI_Request* request);
/// @}

/// Frees the requests that plans serve and the program has not freed. They are not valid any more.
void free_all_persistent();

}  // namespace tutti::run
