#pragma once

#include <atomic>

#include "runtime/call.hpp"

namespace tutti::runtime {

/// How many persistent requests there are in this process that plans serve.
inline constinit std::atomic<int> persistent_requests{0};
inline bool any_persistent() {
  return persistent_requests.load(std::memory_order_relaxed) > 0;
}

#if MPI_VERSION >= 4
/// A persistent collective as the interposed entry points make it: decides, and binds the plan, or lets the
/// MPI library make its own request. Collective. Returns MPI's error code.
template <Collective collective>
int init(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request);
#endif

/// MPI_Start, MPI_Startall and MPI_Request_free of requests of which some may be ours.
/// @{
int start_persistent(MPI_Request* request);
int start_all_persistent(int count, MPI_Request* requests);
int free_persistent(MPI_Request* request);
/// @}

/// Frees the requests that plans serve and the program has not freed. They are not valid any more.
void free_all_persistent();

}  // namespace tutti::runtime
