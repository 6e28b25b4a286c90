#include "run/requests/driven.hpp"

#include <climits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "run/calls/reported.hpp"
#include "run/mpi/datatype.hpp"
#include "run/mpi/errors_returned.hpp"
#include "run/mpi/library_text.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/world.hpp"
#include "run/requests/user_request.hpp"

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
constinit const NextNative<int (*)(int, MPI_Request*, int*, MPI_Status*)> next_testall{"PMPI_Testall"};
constinit const NextNative<int (*)(MPI_Request, int*, MPI_Status*)> next_get_status{
    "PMPI_Request_get_status"};

// Looks at requests of the program's. What looks at MPICH's nonblocking input and output calls
// collectives, which on other ranks may come from a test of the program's: by the same plans.
template <typename Function, typename... Arguments>
int look(const NextNative<Function>& function, Arguments... arguments) {
  const Outside outside;
  return function.get()(arguments...);
}

// Looks at requests without completing them. MPICH drives nonblocking input and output only where
// their requests are tested, which asking for their status is not: so they are tested beside one
// that is never complete. Those that complete all the same, by an error, it keeps the statuses of.
class Poll {
 public:
  Poll() : never_(make_generalized_request()) {
    if (never_->start() != MPI_SUCCESS) never_.reset();
  }
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;
  ~Poll() {
    if (!never_) return;
    const Inside inside;
    MPI_Request handle = never_->handle();
    never_->complete(MPI_SUCCESS);
    PMPI_Wait(&handle, MPI_STATUS_IGNORE);
  }

  void operator()(int first, int end, MPI_Request* requests) {
    if (!never_) return;
    tested_.assign(requests + first, requests + end);
    tested_.push_back(never_->handle());
    statuses_.resize(tested_.size());
    int complete = 0, kind = MPI_SUCCESS;
    const int error =
        look(next_testall, static_cast<int>(tested_.size()), tested_.data(), &complete, statuses_.data());
    if (error != MPI_SUCCESS) PMPI_Error_class(error, &kind);
    if (kind != MPI_ERR_IN_STATUS) return;
    for (int i = first; i < end; ++i) {
      const auto place = static_cast<std::size_t>(i - first);
      if (statuses_[place].MPI_ERROR == MPI_ERR_PENDING) continue;
      requests[i] = tested_[place];
      completed_.try_emplace(i, statuses_[place]);
    }
  }

  bool has_completed_some() const { return !completed_.empty(); }
  // Puts their statuses among those of all others, which were collected. Returns the error of all.
  int tell(int error, int count, MPI_Status* statuses) const {
    for (int i = 0; error == MPI_SUCCESS && statuses != MPI_STATUSES_IGNORE && i < count; ++i)
      statuses[i].MPI_ERROR = MPI_SUCCESS;
    for (const auto& [i, status] : completed_) {
      if (statuses != MPI_STATUSES_IGNORE) statuses[i] = status;
      if (status.MPI_ERROR != MPI_SUCCESS) error = MPI_ERR_IN_STATUS;
    }
    return error;
  }

 private:
  std::unique_ptr<UserRequest> never_;
  std::vector<MPI_Request> tested_;
  std::vector<MPI_Status> statuses_;
  std::map<int, MPI_Status> completed_;  // by number
};

// Completes requests that are done. Inside, for PMPI_Waitall is one of our entry points, too, which
// comes here again as long as anything else is under way.
int collect(int count, MPI_Request* requests, MPI_Status* statuses) {
  const Inside inside;
  return PMPI_Waitall(count, requests, statuses);
}

}  // namespace

int wait(MPI_Request* request, MPI_Status* status) {
  complete_if_only(*request);
  return drive_until([&](int* done) { return look(next_test, request, done, status); });
}

// Looks at requests one by one: MPI_Testall of MPICH 4.0 fails where persistent collectives that
// are complete are among them. A request that has failed is complete: what went wrong is said by
// MPI_Waitall, in its status.
int wait_for_all(int count, MPI_Request* requests, MPI_Status* statuses) {
  int complete = 0;
  bool failed = false;
  std::optional<Poll> poll;
  // The program's error handlers are as it has set them but for each look: between looks operations
  // of its own run.
  drive_until([&](int* all) -> int {
    const NobodysErrorsReturned looking;
    for (int done = 1; complete < count; ++complete) {
      const int error = look(next_get_status, requests[complete], &done, MPI_STATUS_IGNORE);
      failed |= error != MPI_SUCCESS;
      if (error != MPI_SUCCESS || done) continue;
      if (is_open_mpi()) return MPI_SUCCESS;
      if (!poll) poll.emplace();
      (*poll)(complete, count, requests);
      return MPI_SUCCESS;
    }
    *all = 1;
    return MPI_SUCCESS;
  });
  failed |= poll && poll->has_completed_some();
  if (!failed) return collect(count, requests, statuses);
  int error = MPI_SUCCESS;
  {
    const NobodysErrorsReturned collecting;
    error = collect(count, requests, statuses);
    if (poll && poll->has_completed_some()) error = poll->tell(error, count, statuses);
  }
  if (error != MPI_SUCCESS && !world::is_of_sessions)
    PMPI_Comm_call_errhandler(handles_nobodys_errors(), error);
  return error;
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
