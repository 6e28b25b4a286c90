#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// What ranks tell each other of a time, in whole nanoseconds: sums of whole numbers are the same
/// on every rank, in whatever order a library adds them up.
struct SharedTime {
  std::int64_t in_call = 0;   ///< becomes the sum over ranks
  std::int64_t period = 0;    ///< the sum
  std::int64_t latest = 0;    ///< the maximum
  std::int64_t earliest = 0;  ///< the minimum
};

/// The number of a size class, of which all take the maximum.
using SharedSize = std::uint8_t;

/// Makes what each rank tells that of all: one native allreduce that goes on while the program
/// does.
template <typename Value>
class Agreement {
 public:
  Agreement() = default;
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  /// Waits for the others, if they have not said all yet.
  ~Agreement() { finish(); }

  /// Tells the others. Collective.
  void begin(std::vector<Value> mine, MPI_Comm comm);
  /// Whether it was begun and not finished yet.
  bool is_under_way() const { return under_way_; }
  /// What all have said; nothing where MPI failed.
  std::span<const Value> finish();

 private:
  std::vector<Value> mine_, all_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int error_ = MPI_SUCCESS;
  bool under_way_ = false;
};

/// Gives back what agreements need of MPI, which is still running.
void release_agreements();

}  // namespace tutti::run
