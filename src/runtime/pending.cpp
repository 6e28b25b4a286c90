#include "runtime/pending.hpp"

#include <mutex>
#include <vector>

#include "runtime/process.hpp"

namespace tutti::runtime {
namespace {

// Workspaces of calls that are complete, whose memory the next ones use again.
class Workspaces {
 public:
  std::unique_ptr<Workspace> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<Workspace>();
    auto workspace = std::move(free_.back());
    free_.pop_back();
    return workspace;
  }
  void give_back(std::unique_ptr<Workspace> workspace) {
    constexpr std::size_t most = 16;
    const std::lock_guard lock(mutex_);
    if (free_.size() < most) free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};
Workspaces workspaces;

}  // namespace

// What a request tells of a call when the user asks.
struct Pending::Outcome {
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

Pending::Pending(Communicator& communicator, Decision& decision, const Call& call, bool commutative,
                 std::ptrdiff_t size, Tags tags)
    : communicator_(communicator),
      decision_(decision),
      workspace_(workspaces.take()),
      call_(call),
      commutative_(commutative),
      size_(size),
      tags_(tags),
      begun_(timing ? PMPI_Wtime() : 0) {}

Pending::~Pending() {
  workspaces.give_back(std::move(workspace_));
}

int Pending::begin() {
  if (const DeviceLibrary* device = loaded_device_library())
    copies_.emplace(*device, decision_.plan->collective(), communicator_, call_);
  carriage_.emplace(communicator_, *workspace_, *decision_.plan, call_, commutative_, false);
  if (const int error = carriage_->begin(); error != MPI_SUCCESS) return error;
  start_program();
  return MPI_SUCCESS;
}

void Pending::start_program() {
  program_ = carriage_->program()->shared_from_this();
  workspace_->execution.start(*program_, communicator_.hidden(), nullptr, tags_.first);
}

void Pending::drive(bool to_the_end) {
  while (!is_complete_) {
    bool done = to_the_end;
    error_ = to_the_end ? workspace_->execution.wait() : workspace_->execution.test(done);
    if (error_ == MPI_SUCCESS && !done) return;
    if (error_ == MPI_SUCCESS) error_ = carriage_->go_on();
    if (error_ == MPI_SUCCESS && carriage_->program())
      start_program();
    else
      end();
  }
}

void Pending::end() {
  is_complete_ = true;
  if (copies_ && error_ == MPI_SUCCESS) error_ = copies_->error();
  if (copies_ && error_ == MPI_SUCCESS) error_ = copies_->bring_back();
  ++decision_.use.calls;
  if (!timing) return;
  decision_.use.seconds += PMPI_Wtime() - begun_;
  decision_.use.bytes += static_cast<std::uint64_t>(size_);
}

int Pending::make_request(MPI_Request* request) {
  auto outcome = std::make_unique<Outcome>();
  const int error =
      PMPI_Grequest_start(Outcome::query, Outcome::free, Outcome::cancel, outcome.get(), &request_);
  if (error != MPI_SUCCESS) return error;
  outcome_ = outcome.release();
  *request = request_;
  return MPI_SUCCESS;
}

void Pending::complete_request() {
  outcome_->error = error_;
  PMPI_Grequest_complete(request_);
}

}  // namespace tutti::runtime
