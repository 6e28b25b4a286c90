#pragma once

#include <cstddef>
#include <vector>

#include "run/calls/inside.hpp"
#include "run/online/hears_waiting.hpp"

namespace tutti::run {

/// How many requests there are of calls that are timed.
inline constinit int measured_requests = 0;

/// Requests of calls that return at once and are timed, whoever serves these: what the program
/// waits for them, or asks whether they are complete, is time of their batch. For one thread at a
/// time: where several call, nothing is learnt of such calls.
class MeasuredRequests {
 public:
  static MeasuredRequests& instance();

  /// A call of a batch was started, whose request goes when it is complete, or stays, to be started
  /// again.
  /// @{
  void add(MPI_Request request, HearsWaiting& who, std::size_t batch);
  void add_lasting(MPI_Request request, HearsWaiting& who, std::size_t batch);
  /// @}
  /// Whether the program has not seen yet that all calls of whom it times are complete.
  bool has(const HearsWaiting& who) const;
  void forget(const HearsWaiting& who);

  /// Some of the program's requests are about to be waited for, or asked for: marks those that are
  /// timed, unless that happens while others are. Whether it has marked any.
  bool look_at(int count, const MPI_Request* requests);
  /// Counts the time for marked requests once in each batch, and forgets those that are complete.
  void took(double seconds, const MPI_Request* requests);

 private:
  static constexpr int nowhere = -1;
  struct Entry {
    MPI_Request request;
    HearsWaiting* who;
    std::size_t batch;
    bool lasts = false;
    int place = nowhere;  // among the requests that were looked at

    bool is_complete(const MPI_Request* requests) const;
  };
  template <typename Which>
  void erase(Which&& which);

  std::vector<Entry> entries_;
};

/// Whether the program's requests have to be looked at.
inline bool times_requests() {
  return measured_requests > 0 && !memo.inside;
}

/// Does what completes requests, or asks of them.
template <typename Do>
int timed_for(int count, const MPI_Request* requests, Do&& how) {
  if (!times_requests() || !MeasuredRequests::instance().look_at(count, requests)) return how();
  const double begin = PMPI_Wtime();
  const int error = how();
  MeasuredRequests::instance().took(PMPI_Wtime() - begin, requests);
  return error;
}

}  // namespace tutti::run
