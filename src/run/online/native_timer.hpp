#pragma once

#include <limits>

#include "run/online/hears_waiting.hpp"
#include "run/online/learning.hpp"

namespace tutti::run {

/// Times some starts of a persistent request of the MPI library's, and what the program waits for
/// them: the knowledge is told what such calls take natively at least, and how many there were, if
/// they take long enough to be learnt of. For one thread at a time.
class NativeTimer final : public HearsWaiting {
 public:
  /// Times calls of a class, which are worth it if they take `least_s` seconds.
  NativeTimer(Learning& learning, const CallClass& calls, double least_s)
      : learning_(learning), calls_(calls), least_s_(least_s) {}
  NativeTimer(const NativeTimer&) = delete;
  NativeTimer& operator=(const NativeTimer&) = delete;
  ~NativeTimer();

  /// MPI_Start of the request.
  int start(MPI_Request* request);
  /// Whether calls were seen to be too short.
  bool is_in_vain() const;
  /// What the program waits for several requests together is shared among these: each is to pay for
  /// being learnt of.
  void waited(std::size_t, double seconds, double share) override { took_ += share * seconds; }

 private:
  void end_call();

  Learning& learning_;
  CallClass calls_;
  double least_s_;
  int starts_ = 0, timed_ = 0;
  bool times_ = false;  // the last start
  double took_ = 0, shortest_ = std::numeric_limits<double>::infinity();
};

}  // namespace tutti::run
