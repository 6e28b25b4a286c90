#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "run/calls/call_execution.hpp"
#include "run/calls/kept_arrays.hpp"
#include "run/calls/routing.hpp"
#include "run/requests/user_request.hpp"

namespace tutti::run {

/// A call that returns at once and that a plan carries out: driven on until it is complete, and
/// once complete begun again, if its request can be.
class Pending {
 public:
  /// A call by the plan of a decision, on a communicator with a hidden one, with tags of its own
  /// there. The plan does not wait in the MPI library, and is refused neither by the
  /// communicator nor the call. It goes by the network that the communicator has for it now.
  Pending(Communicator& communicator, Decision& decision, const Call& call, bool commutative,
          std::ptrdiff_t size, Tags tags, Mode mode, std::unique_ptr<UserRequest> request)
      : Pending(communicator, decision, call, commutative, size, tags, mode, std::move(request),
                communicator.network_for(*decision.plan)) {}
  /// Such a call whose plan is computed for a given network, which all ranks had for it.
  Pending(Communicator& communicator, Decision& decision, const Call& call, bool commutative,
          std::ptrdiff_t size, Tags tags, Mode mode, std::unique_ptr<UserRequest> request,
          std::shared_ptr<const KnownNetwork> network);
  ~Pending();

  /// While it lives and is true, this thread may begin and drive the call, and no other.
  class Driving {
   public:
    explicit Driving(Pending& call) : call_(call) { again(); }
    Driving(const Driving&) = delete;
    Driving& operator=(const Driving&) = delete;
    ~Driving() {
      if (is_ours_) call_.driven_.clear(std::memory_order_release);
    }
    /// Tries again; returns whether this thread may drive the call now.
    bool again() { return is_ours_ = is_ours_ || !call_.driven_.test_and_set(std::memory_order_acquire); }
    explicit operator bool() const { return is_ours_; }

   private:
    Pending& call_;
    bool is_ours_ = false;
  };

  /// The call's number, in the order in which calls of this process began.
  std::uint64_t number = 0;
  /// Whether it is known that no earlier call is under way with its tags.
  bool has_own_tags = false;

  /// Starts it, and the user's request. The second time nothing is looked up that stays as it was.
  /// Returns MPI's error code.
  int begin();
  /// Posts what waits for nothing, if it is its turn.
  void post() { drive(&Execution::post); }
  /// Drives it as far as it goes without waiting.
  void advance() { drive(&Execution::test); }
  /// Drives it to the end.
  void finish() { drive(&Execution::wait); }
  bool is_complete() const { return is_complete_; }
  bool has_failed() const { return error_ != MPI_SUCCESS; }

  MPI_Request request() const { return request_->handle(); }
  /// Lets the user's request know that it is complete.
  void complete_request();

  Communicator& communicator() const { return communicator_; }
  Mode mode() const { return mode_; }
  /// Whether messages of the two could be mistaken for each other's.
  bool shares_tags_with(const Pending& other) const {
    return &communicator_ == &other.communicator_ && tags_.first < other.tags_.first + other.tags_.count &&
           other.tags_.first < tags_.first + tags_.count;
  }
  bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }

 private:
  int prepare();
  int trouble() const;
  bool may_run();
  void drive(int (Execution::*how)(bool& done));
  void start_program();
  void end();

  Communicator& communicator_;
  Decision& decision_;
  std::unique_ptr<Workspace> workspace_;
  Call call_;
  KeptArrays arrays_;
  std::optional<CallExecution> execution_;
  bool commutative_;
  std::ptrdiff_t size_;
  Tags tags_;
  Mode mode_;
  std::shared_ptr<const KnownNetwork> network_;  // the one that all ranks had when the call was made
  int error_ = MPI_SUCCESS;
  std::optional<std::uint64_t> turn_;  // among those that use the memory for such calls
  bool runs_ = false;
  bool is_complete_ = false;
  std::atomic_flag driven_;
  std::unique_ptr<UserRequest> request_;
  std::thread::id thread_;  // that has begun it
  double begun_ = 0;
};

}  // namespace tutti::run
