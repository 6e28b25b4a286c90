#include "run/process/held_back.hpp"

#include <utility>

#include "run/calls/reported.hpp"
#include "run/calls/under_way.hpp"
#include "run/process/start_nonblocking.hpp"

namespace tutti::run {
namespace {

// The request of a call that has begun later than its request.
class BegunRequest final : public UserRequest {
 public:
  explicit BegunRequest(std::shared_ptr<UserRequest> begun) : begun_(std::move(begun)) {
    handle_ = begun_->handle();
  }
  int start() override { return MPI_SUCCESS; }
  void complete(int error) override { begun_->complete(error); }

 private:
  std::shared_ptr<UserRequest> begun_;
};

}  // namespace

int HeldBack::add(Called called, const Call& call, MPI_Request* request) {
  auto one = std::make_shared<HeldCall>(called, state_.communicator, call);
  if (const int error = one->request->start(); error != MPI_SUCCESS) return error;
  *request = one->request->handle();
  calls_.push_back(std::move(one));
  ++calls_held_back;
  if (calls_.size() == 1)
    see_to({.before = state_.communicator.user(),
            .is_done = [this] { return begin_all(); },
            .holds_calls = true});
  state_.communicator.is_awaited = true;  // a call that blocks may not come before them
  return MPI_SUCCESS;
}

// True when no call waits any more.
bool HeldBack::begin_all() {
  while (any() && begin(calls_.front())) calls_.pop_front();
  return !any();
}

// False while it is not known how the call goes.
bool HeldBack::begin(const std::shared_ptr<HeldCall>& one) {
  Way way;
  MPI_Request native = MPI_REQUEST_NULL;
  const int error = guarded(state_.communicator.user(), [&]() -> int {
    way = way_of(one->called, state_, one->call);
    if (way.is_undecided) return MPI_SUCCESS;
    const int failed =
        start_by(way, state_, one->called, one->call, std::make_unique<BegunRequest>(one->request), &native);
    // The program's request is complete when the MPI library's is, which may look at the call until
    // then.
    if (failed == MPI_SUCCESS && !way.decision)
      see_to_end([native](int* done) mutable { return PMPI_Test(&native, done, MPI_STATUS_IGNORE); },
                 [one](int failure) { one->request->complete(failure); });
    return failed;
  });
  if (way.is_undecided) return false;
  if (error != MPI_SUCCESS) one->request->complete(error);
  return true;
}

}  // namespace tutti::run
