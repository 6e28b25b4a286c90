#pragma once

#include "runtime/persistent.hpp"
#include "runtime/process.hpp"
#include "runtime/progress.hpp"

namespace tutti::runtime {

/// Whether calls of the program's have to drive others on that are under way.
inline bool drives() {
  return any_under_way() && !memo.inside;
}

/// Whether handles that the program frees may still be needed.
inline bool needs_handles() {
  return (any_under_way() || any_persistent()) && !memo.inside;
}

/// MPI's blocking functions, with their arguments and results, as nonblocking ones that are asked again and
/// again while what is under way goes on.
/// @{
using Send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int send(Send* nonblocking, const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status);
int receive_matched(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status);
int exchange(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag, void* received,
             int received_count, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
             MPI_Status* status);
int exchange_in_place(void* data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                      int received_tag, MPI_Comm comm, MPI_Status* status);
int probe(int from, int tag, MPI_Comm comm, MPI_Status* status);
int probe_matched(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status);
int wait(MPI_Request* request, MPI_Status* status);
int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses);
int wait_for_any(int count, MPI_Request* requests, int* index, MPI_Status* status);
int wait_for_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
/// @}

}  // namespace tutti::runtime
