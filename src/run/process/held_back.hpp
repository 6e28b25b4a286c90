#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "run/calls/kept_arrays.hpp"
#include "run/requests/user_request.hpp"

namespace tutti::run {

struct CommunicatorState;

/// How many calls of this process were held back so far.
inline constinit std::uint64_t calls_held_back = 0;

/// Nonblocking calls that the program has started on a communicator, and that begin when it is
/// known how the first of them goes: ranks agree on that while they wait for nobody, and this one
/// has come before they were ready. All that come behind the first wait, too, for the MPI library
/// matches calls of different ranks by their order.
class HeldBack {
 public:
  explicit HeldBack(CommunicatorState& state) : state_(state) {}
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;

  bool any() const { return !calls_.empty(); }
  /// Gives the program a request for a call that begins later. Returns MPI's error code.
  int add(Called called, const Call& call, MPI_Request* request);

 private:
  struct HeldCall {
    HeldCall(Called of, const Communicator& communicator, const Call& given)
        : called(of), call(given), arrays(of.collective, communicator, call) {}

    Called called;
    Call call;
    KeptArrays arrays;
    std::shared_ptr<UserRequest> request = make_generalized_request();
  };

  bool begin_all();
  bool begin(const std::shared_ptr<HeldCall>& one);

  CommunicatorState& state_;
  std::deque<std::shared_ptr<HeldCall>> calls_;
};

}  // namespace tutti::run
