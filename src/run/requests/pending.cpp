#include "run/requests/pending.hpp"

#include <mutex>
#include <vector>

#include "run/calls/reported.hpp"
#include "run/requests/constants.hpp"

namespace tutti::run {
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
    workspace->arena.shrink();
    const std::lock_guard lock(mutex_);
    if (free_.size() < requests::most_workspaces) free_.push_back(std::move(workspace));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> free_;
};
Workspaces& workspaces() {
  static auto* const all = new Workspaces;  // calls may come when statics are gone
  return *all;
}

}  // namespace

Pending::Pending(Communicator& communicator, Decision& decision, const Call& call, bool commutative,
                 std::ptrdiff_t size, Tags tags, Mode mode, std::unique_ptr<UserRequest> request,
                 std::shared_ptr<const KnownNetwork> network)
    : communicator_(communicator),
      decision_(decision),
      workspace_(workspaces().take()),
      call_(call),
      arrays_(decision.plan->collective(), communicator, call_),
      commutative_(commutative),
      size_(size),
      tags_(tags),
      mode_(mode),
      network_(std::move(network)),
      request_(std::move(request)) {}

// Messages that come late may still be written into the workspace of a call that has failed.
Pending::~Pending() {
  if (error_ == MPI_SUCCESS)
    workspaces().give_back(std::move(workspace_));
  else
    static_cast<void>(workspace_.release());
}

int Pending::begin() {
  // Messages of a call that has failed may still come, with these tags.
  if (error_ != MPI_SUCCESS) return error_;
  is_complete_ = runs_ = false;
  thread_ = std::this_thread::get_id();
  begun_ = timing ? PMPI_Wtime() : 0;
  error_ = caught([&] {
    const int error = prepare();
    return error == MPI_SUCCESS ? request_->start() : error;
  });
  // On other ranks it may have begun, and have its turn.
  if (HostMemory* const memory = execution_ ? execution_->memory() : nullptr) {
    if (error_ == MPI_SUCCESS)
      turn_ = communicator_.turns_at_once().take();
    else
      memory->spoil(error_);
  }
  return error_;
}

int Pending::prepare() {
  if (execution_ && execution_->repeats()) return MPI_SUCCESS;
  const bool knows_sizes = execution_ && execution_->knows_sizes();
  execution_.emplace(communicator_, *workspace_, *decision_.plan, call_, commutative_, mode_,
                     loaded_device_library(), network_.get());
  return execution_->begin(knows_sizes);
}

void Pending::start_program() {
  workspace_->execution.start(*execution_->program(), communicator_.context().comm(), tags_.first,
                              execution_->memory());
}

// What has spoilt the memory that the call goes through, as an error class.
int Pending::trouble() const {
  return turn_ ? execution_->memory()->spoilt_by() : MPI_SUCCESS;
}

// Starts the first program when it is the call's turn. Behind a call that has failed in the same
// memory it fails, too.
bool Pending::may_run() {
  if (runs_) return true;
  if (turn_ && !communicator_.turns_at_once().is_turn_of(*turn_)) return false;
  if (error_ = trouble(); error_ != MPI_SUCCESS) {
    end();
    return false;
  }
  error_ = caught([&] {
    start_program();
    return MPI_SUCCESS;
  });
  runs_ = error_ == MPI_SUCCESS;
  if (!runs_) end();
  return runs_;
}

void Pending::drive(int (Execution::*how)(bool& done)) {
  while (!is_complete_ && may_run()) {
    bool done = false;
    error_ = caught([&] {
      int error = (workspace_->execution.*how)(done);
      if (error == MPI_SUCCESS) error = done ? execution_->go_on() : trouble();
      if (error == MPI_SUCCESS && done && execution_->program()) start_program();
      return error;
    });
    if (error_ == MPI_SUCCESS && !done) return;
    if (error_ != MPI_SUCCESS || !execution_->program()) end();
  }
}

// A single call's request tells of an error by itself.
void Pending::complete_request() {
  if (error_ != MPI_SUCCESS && mode_ == Mode::persistent)
    PMPI_Comm_call_errhandler(communicator_.reports_to(), error_);
  request_->complete(error_);
}

void Pending::end() {
  is_complete_ = true;
  if (error_ != MPI_SUCCESS) communicator_.spoil_context();
  if (turn_) {
    if (error_ != MPI_SUCCESS && (!runs_ || workspace_->execution.leaves_messages(error_)))
      execution_->memory()->spoil(error_);
    communicator_.turns_at_once().pass_on();
  }
  decision_.use.count(static_cast<std::uint64_t>(size_), timing ? PMPI_Wtime() - begun_ : 0);
}

}  // namespace tutti::run
