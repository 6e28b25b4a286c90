#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "run/calls/own_collective.hpp"

namespace tutti::run {

/// What ranks tell each other of a time, in whole nanoseconds: sums of whole numbers are the same
/// on every rank, in whatever order a library adds them up.
struct SharedTime {
  std::int64_t in_call = 0;   ///< becomes the sum over ranks
  std::int64_t period = 0;    ///< the sum
  std::int64_t latest = 0;    ///< the maximum
  std::int64_t earliest = 0;  ///< the minimum
};

/// A time as it is told, and as it is heard.
/// @{
inline std::int64_t to_nanoseconds(double seconds) {
  return std::llround(std::clamp(seconds, -1e9, 1e9) * 1e9);
}
inline double to_seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}
/// @}

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
  bool is_under_way() const { return call_.is_under_way(); }
  /// From now on it goes on whenever the program calls.
  void drive(MPI_Comm comm) { call_.drive(comm); }
  /// Whether all have said it, as far as is known here.
  bool is_complete() const { return call_.is_complete(); }
  /// What all have said; nothing where MPI failed.
  std::span<const Value> finish();

 private:
  std::vector<Value> mine_, all_;
  OwnCollective call_;
};

/// How values are told and combined.
struct Combination {
  MPI_Datatype type;
  MPI_Op operation;
};
/// How times are, for collectives of ours other than an agreement.
Combination combination_of_times();

/// Gives back what agreements need of MPI, which is still running.
void release_agreements();

}  // namespace tutti::run
