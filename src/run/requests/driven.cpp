#include "run/requests/driven.hpp"

#include <climits>
#include <vector>

#include "run/calls/reported.hpp"
#include "run/mpi/datatype.hpp"
#include "run/mpi/errors_returned.hpp"
#include "run/mpi/world.hpp"

namespace tutti::run {

bool can_be_packed(MPI_Count count, MPI_Datatype type) {
  const TypeInfo* const info = count >= 0 && count <= INT_MAX ? type_info(type) : nullptr;
  return info && (count == 0 || info->size <= static_cast<std::size_t>(INT_MAX / count));
}

int exchange_in_place(void* data, int count, MPI_Datatype type, int to, int sent_tag, int from,
                      int received_tag, MPI_Comm comm, MPI_Status* status) {
  return guarded(comm, [&] {
    int bytes = 0, position = 0;
    if (const int error = PMPI_Pack_size(count, type, comm, &bytes); error != MPI_SUCCESS) return error;
    std::vector<char> packed(static_cast<std::size_t>(bytes));
    if (const int error = PMPI_Pack(data, count, type, packed.data(), bytes, &position, comm);
        error != MPI_SUCCESS)
      return error;
    return exchanged(
        status, [&](MPI_Request* in) { return PMPI_Irecv(data, count, type, from, received_tag, comm, in); },
        [&](MPI_Request* out) {
          return PMPI_Isend(packed.data(), position, MPI_PACKED, to, sent_tag, comm, out);
        });
  });
}

int wait(MPI_Request* request, MPI_Status* status) {
  complete_if_only(*request);
  return drive_until([&](int* done) { return PMPI_Test(request, done, status); });
}

namespace {

// Completes requests that are done. Inside, for PMPI_Waitall is one of our entry points, too, which
// comes here again as long as anything else is under way.
int collect(int count, MPI_Request* requests, MPI_Status* statuses) {
  const Inside inside;
  return PMPI_Waitall(count, requests, statuses);
}

}  // namespace

// Looks at requests one by one: MPI_Testall of MPICH 4.0 fails where persistent collectives are
// among them. A request that has failed is complete: what went wrong is said by MPI_Waitall, in its
// status.
int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  int complete = 0;
  bool failed = false;
  // The program's error handlers are as it has set them but for each look: between looks operations
  // of its own run.
  drive_until([&](int* all) -> int {
    const NobodysErrorsReturned looking;
    for (int done = 1; complete < count; ++complete) {
      const int error = PMPI_Request_get_status(requests[complete], &done, MPI_STATUS_IGNORE);
      failed |= error != MPI_SUCCESS;
      if (error == MPI_SUCCESS && !done) return MPI_SUCCESS;
    }
    *all = 1;
    return MPI_SUCCESS;
  });
  if (!failed || world::is_of_sessions) return collect(count, requests, statuses);
  int error = MPI_SUCCESS;
  {
    const NobodysErrorsReturned collecting;
    error = collect(count, requests, statuses);
  }
  if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(handles_nobodys_errors(), error);
  return error;
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

}  // namespace tutti::run
