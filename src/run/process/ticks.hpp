#pragma once

#include <chrono>
#include <cstdint>

#include "run/mpi/native.hpp"

namespace tutti::run {

/// Seconds on the clock that programs see: in a simulation it is simulated.
inline double clock_s() {
#if defined(TUTTI_SIMULATED)
  return PMPI_Wtime();
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

/// Time in ticks, which are cheaper to have than seconds: of the processor's counter where there is
/// one that goes evenly.
inline std::uint64_t ticks() {
#if defined(TUTTI_SIMULATED)
  return static_cast<std::uint64_t>(1e9 * PMPI_Wtime());
#elif defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// What a tick is, found out between its making and the question.
class TickLength {
 public:
  double seconds() const {
    const std::uint64_t passed = ticks() - ticks_;
    return passed == 0 ? 0 : elapsed_s() / static_cast<double>(passed);
  }
  /// Seconds since it was made.
  double elapsed_s() const { return clock_s() - clock_; }

 private:
  double clock_ = clock_s();
  std::uint64_t ticks_ = ticks();
};

}  // namespace tutti::run
