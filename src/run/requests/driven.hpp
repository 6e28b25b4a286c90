#pragma once

#include "run/requests/progress.hpp"

/// What blocks, done by what returns at once and asked again and again while what is under way goes
/// on.
namespace tutti::run {

/// Whether calls of the program's have to drive others on that are under way.
inline bool drives() {
  return any_under_way() && !memo.inside;
}

/// Starts something with a request and waits for that. Returns MPI's error code.
template <typename Start>
int started(MPI_Status* status, Start&& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int error = start(&request); error != MPI_SUCCESS) return error;
  return drive_until([&](int* done) { return PMPI_Test(&request, done, status); });
}

/// Starts a receive and a send and waits for both; `status` is the receive's. Returns MPI's error
/// code.
template <typename Receive, typename Send>
int exchanged(MPI_Status* status, Receive&& receive, Send&& send) {
  MPI_Request out = MPI_REQUEST_NULL;
  int error_of_send = MPI_SUCCESS;
  const int error = started(status, [&](MPI_Request* in) {
    if (const int wrong = receive(in); wrong != MPI_SUCCESS) return wrong;
    const int unsent = send(&out);
    if (unsent != MPI_SUCCESS && *in != MPI_REQUEST_NULL) {
      PMPI_Cancel(in);
      PMPI_Request_free(in);
    }
    return unsent;
  });
  if (out != MPI_REQUEST_NULL)
    error_of_send = drive_until([&](int* done) { return PMPI_Test(&out, done, MPI_STATUS_IGNORE); });
  return error != MPI_SUCCESS ? error : error_of_send;
}

/// Whether MPI_Pack takes so many elements, and counts their bytes.
bool can_be_packed(MPI_Count count, MPI_Datatype type);

/// MPI_Sendrecv_replace: what is sent leaves packed, so that what is received may take its place.
/// The elements can be packed. (MPI_Isendrecv_replace of MPICH 4.0 says nothing in its status.)
int exchange_in_place(void* data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                      int received_tag, MPI_Comm comm, MPI_Status* status);

/// MPI_Wait and its likes.
/// @{
int wait(MPI_Request* request, MPI_Status* status);
int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses);
int wait_for_any(int count, MPI_Request* requests, int* index, MPI_Status* status);
int wait_for_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
/// @}

}  // namespace tutti::run
