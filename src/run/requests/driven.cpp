#include "run/requests/driven.hpp"

#include <algorithm>
#include <climits>
#include <utility>
#include <vector>

#include "run/calls/reported.hpp"
#include "run/mpi/datatype.hpp"
#include "run/mpi/errors_returned.hpp"
#include "run/mpi/library_text.hpp"
#include "run/mpi/native.hpp"
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

namespace {

constinit const NextNative<int (*)(MPI_Request*, int*, MPI_Status*)> next_test{"PMPI_Test"};
constinit const NextNative<int (*)(int, MPI_Request*, int*, int*, MPI_Status*)> next_testany{"PMPI_Testany"};
constinit const NextNative<int (*)(int, MPI_Request*, int*, int*, MPI_Status*)> next_testsome{
    "PMPI_Testsome"};
constinit const NextNative<int (*)(int, MPI_Request*, MPI_Status*)> next_waitall{"PMPI_Waitall"};
constinit const NextNative<int (*)(MPI_Request, int*, MPI_Status*)> next_get_status{
    "PMPI_Request_get_status"};

// Looks at requests of the program's, as if it did so itself: what looks at MPICH's nonblocking
// input and output calls collectives, as may functions of generalized requests, which on other
// ranks may come from a test of the program's: by the same plans.
template <typename Function, typename... Arguments>
int look(const NextNative<Function>& function, Arguments... arguments) {
  const Outside outside;
  return function.get()(arguments...);
}

// Tells the handler of calls that name no communicator of an error. Returns the error.
int told(int error) {
  if (error != MPI_SUCCESS && !world::is_of_sessions)
    PMPI_Comm_call_errhandler(handles_nobodys_errors(), error);
  return error;
}

// Completes requests that are done.
int collect(int count, MPI_Request* requests, MPI_Status* statuses) {
  return look(next_waitall, count, requests, statuses);
}

// Waits until all requests have ended, and has MPI_Waitall say how. A request that has failed has
// ended: what went wrong is said in its status.
int wait_and_collect(int count, MPI_Request* requests, MPI_Status* statuses) {
  int ended = 0;
  bool failed = false;
  // The program's error handlers are as it has set them but for each look: between looks operations
  // of its own run.
  drive_until([&](int* all) -> int {
    const NobodysErrorsReturned looking;
    for (int done = 1; ended < count; ++ended) {
      const int error = look(next_get_status, requests[ended], &done, MPI_STATUS_IGNORE);
      failed |= error != MPI_SUCCESS;
      if (error == MPI_SUCCESS && !done) return MPI_SUCCESS;
    }
    *all = 1;
    return MPI_SUCCESS;
  });
  if (!failed) return collect(count, requests, statuses);
  int error = MPI_SUCCESS;
  {
    const NobodysErrorsReturned collecting;
    error = collect(count, requests, statuses);
  }
  return told(error);
}

// Completes requests as they end. MPICH drives nonblocking input and output only where all of it is
// tested, which asking for its status is not; and MPI_Testall of MPICH 4.0 fails where persistent
// collectives that are complete are among the requests.
int complete_some_by_some(int count, MPI_Request* requests, MPI_Status* statuses) {
  std::vector<MPI_Request> left(requests, requests + count);
  std::vector<int> ended(left.size());
  std::vector<MPI_Status> how(left.size());
  if (statuses != MPI_STATUSES_IGNORE) {
    MPI_Request none = MPI_REQUEST_NULL;
    int done = 0;
    look(next_test, &none, &done, statuses);
    statuses[0].MPI_ERROR = MPI_SUCCESS;
    std::fill(statuses + 1, statuses + count, statuses[0]);
  }
  bool failed = false;
  const int error = drive_until([&](int* all) -> int {
    const NobodysErrorsReturned looking;
    int some = 0, kind = MPI_SUCCESS;
    const int wrong = look(next_testsome, count, left.data(), &some, ended.data(), how.data());
    if (wrong != MPI_SUCCESS) PMPI_Error_class(wrong, &kind);
    if (kind != MPI_SUCCESS && kind != MPI_ERR_IN_STATUS) return wrong;
    failed |= kind != MPI_SUCCESS;
    for (int n = 0; n < some; ++n) {
      const auto place = static_cast<std::size_t>(ended[static_cast<std::size_t>(n)]);
      MPI_Status& status = how[static_cast<std::size_t>(n)];
      if (kind == MPI_SUCCESS) status.MPI_ERROR = MPI_SUCCESS;
      if (statuses != MPI_STATUSES_IGNORE) statuses[place] = status;
      requests[place] = std::exchange(left[place], MPI_REQUEST_NULL);
    }
    *all = some == MPI_UNDEFINED;
    return MPI_SUCCESS;
  });
  return told(error == MPI_SUCCESS && failed ? MPI_ERR_IN_STATUS : error);
}

}  // namespace

int wait(MPI_Request* request, MPI_Status* status) {
  complete_if_only(*request);
  return drive_until([&](int* done) { return look(next_test, request, done, status); });
}

int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  const bool lacks_statuses = statuses == nullptr && MPI_STATUSES_IGNORE != nullptr;
  if (count <= 0 || !requests || lacks_statuses) return collect(count, requests, statuses);
  return is_open_mpi() ? wait_and_collect(count, requests, statuses)
                       : complete_some_by_some(count, requests, statuses);
}

int wait_for_any(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  return drive_until([&](int* done) { return look(next_testany, count, requests, index, done, status); });
}

int wait_for_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  return drive_until([&](int* any) {
    const int error = look(next_testsome, count, requests, done, indices, statuses);
    *any = *done != 0;
    return error;
  });
}

}  // namespace tutti::run
