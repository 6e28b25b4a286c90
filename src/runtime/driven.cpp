#include "runtime/driven.hpp"

#include <sched.h>

#include <vector>

#include "runtime/pending.hpp"

namespace tutti::runtime {
namespace {

// Asks until the answer is yes, and drives on what is under way. Ranks may outnumber processors.
template <typename Ask>
int drive_until(Ask&& ask) {
  constexpr int looks_before_yielding = 16;
  const Inside inside;
  for (int looks = 0;; ++looks) {
    progress();
    int done = 0;
    if (const int error = ask(&done); error != MPI_SUCCESS || done) return error;
    if (looks > looks_before_yielding) sched_yield();
  }
}

int complete(MPI_Request& request, MPI_Status* status) {
  return drive_until([&](int* done) { return PMPI_Test(&request, done, status); });
}

}  // namespace

int send(Send* nonblocking, const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int error = nonblocking(data, count, type, to, tag, comm, &request); error != MPI_SUCCESS)
    return error;
  return complete(request, MPI_STATUS_IGNORE);
}

int receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int error = PMPI_Irecv(data, count, type, from, tag, comm, &request); error != MPI_SUCCESS)
    return error;
  return complete(request, status);
}

int receive_matched(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (const int error = PMPI_Imrecv(data, count, type, message, &request); error != MPI_SUCCESS) return error;
  return complete(request, status);
}

int exchange(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag, void* received,
             int received_count, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
             MPI_Status* status) {
  MPI_Request in = MPI_REQUEST_NULL, out = MPI_REQUEST_NULL;
  if (const int error = PMPI_Irecv(received, received_count, received_type, from, received_tag, comm, &in);
      error != MPI_SUCCESS)
    return error;
  if (const int error = PMPI_Isend(sent, sent_count, sent_type, to, sent_tag, comm, &out);
      error != MPI_SUCCESS)
    return error;
  const int error = complete(in, status);
  const int error_of_send = complete(out, MPI_STATUS_IGNORE);
  return error != MPI_SUCCESS ? error : error_of_send;
}

// What is sent leaves packed, so that what is received may take its place.
int exchange_in_place(void* data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                      int received_tag, MPI_Comm comm, MPI_Status* status) {
  int bytes = 0, position = 0;
  if (const int error = PMPI_Pack_size(count, type, comm, &bytes); error != MPI_SUCCESS) return error;
  std::vector<char> packed(static_cast<std::size_t>(bytes));
  if (const int error = PMPI_Pack(data, count, type, packed.data(), bytes, &position, comm);
      error != MPI_SUCCESS)
    return error;
  return exchange(packed.data(), position, MPI_PACKED, to, sent_tag, data, count, type, from, received_tag,
                  comm, status);
}

int probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return drive_until([&](int* done) { return PMPI_Iprobe(from, tag, comm, done, status); });
}

int probe_matched(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return drive_until([&](int* done) { return PMPI_Improbe(from, tag, comm, done, message, status); });
}

int wait(MPI_Request* request, MPI_Status* status) {
  complete_if_only(*request);
  return complete(*request, status);
}

// Looks at them one by one: MPI_Testall of MPICH 4.0 fails where persistent collectives are among them.
int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  int complete = 0;
  const int error = drive_until([&](int* all) -> int {
    int done = 1;
    for (; complete < count; ++complete) {
      const int wrong = PMPI_Request_get_status(requests[complete], &done, MPI_STATUS_IGNORE);
      if (wrong != MPI_SUCCESS) return wrong;
      if (!done) break;
    }
    *all = done;
    return MPI_SUCCESS;
  });
  return error == MPI_SUCCESS ? PMPI_Waitall(count, requests, statuses) : error;
}

int wait_for_any(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  return drive_until([&](int* done) { return PMPI_Testany(count, requests, index, done, status); });
}

int wait_for_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return drive_until([&](int* any) {
    const int error = PMPI_Testsome(count, requests, done, indices, statuses);
    *any = *done != 0;
    return error;
  });
}

}  // namespace tutti::runtime
