#include "run/requests/user_request.hpp"

#include <atomic>

#include "run/mpi/handles.hpp"
#include "run/mpi/self_comm.hpp"

namespace tutti::run {
namespace {

class GeneralizedRequest final : public UserRequest {
 public:
  int start() override {
    auto outcome = std::make_unique<Outcome>();
    const int error =
        PMPI_Grequest_start(Outcome::query, Outcome::free, Outcome::cancel, outcome.get(), &handle_);
    if (error == MPI_SUCCESS) outcome_ = outcome.release();
    return error;
  }
  void complete(int error) override {
    outcome_->error = error;
    PMPI_Grequest_complete(handle_);
  }

 private:
  // What it tells of the call when the user asks.
  struct Outcome {
    int error = MPI_SUCCESS;

    static int query(void* outcome, MPI_Status* status) {
      if (status) {
        PMPI_Status_set_elements(status, MPI_BYTE, 0);
        PMPI_Status_set_cancelled(status, 0);
        status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
      }
      return static_cast<Outcome*>(outcome)->error;
    }
    static int free(void* outcome) {
      delete static_cast<Outcome*>(outcome);
      return MPI_SUCCESS;
    }
    // Collectives can't be cancelled.
    static int cancel(void*, int) { return MPI_SUCCESS; }
  };

  Outcome* outcome_ = nullptr;  // the library's, which may keep it longer than the call is
};

// Open MPI 5.0 frees persistent requests that have failed.
#ifdef OPEN_MPI
constexpr bool keeps_failed_requests = false;
#else
constexpr bool keeps_failed_requests = true;
#endif

class RestartableRequest final : public UserRequest {
 public:
  RestartableRequest() {
    static std::atomic<unsigned> made{0};
    tag_ = self_comm::tag_of_signal(made.fetch_add(1));
    if (self_comm::get() != MPI_COMM_NULL)
      PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag_, self_comm::get(), &handle_);
  }
  ~RestartableRequest() override {
    if (handle_ != MPI_REQUEST_NULL) PMPI_Request_free(&handle_);
  }
  int start() override { return PMPI_Start(&handle_); }
  // Who waits for it after an error gets one, since the message is longer than what is received.
  void complete(int error) override {
    const char byte = 0;
    PMPI_Send(&byte, error != MPI_SUCCESS && keeps_failed_requests, MPI_BYTE, 0, tag_, self_comm::get());
  }

 private:
  int tag_;
};

}  // namespace

std::unique_ptr<UserRequest> make_generalized_request() {
  return std::make_unique<GeneralizedRequest>();
}

std::unique_ptr<UserRequest> make_restartable_request() {
  auto request = std::make_unique<RestartableRequest>();
  if (request->handle() == MPI_REQUEST_NULL) return nullptr;
  return request;
}

}  // namespace tutti::run
