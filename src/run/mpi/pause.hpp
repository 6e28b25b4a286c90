#pragma once

#include <chrono>
#include <thread>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// Lets the calling rank wait, in the simulation's time if it is simulated.
inline void pause(double seconds) {
  if (seconds <= 0) return;
#ifdef TUTTI_SIMULATED
  const timespec length{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  smpi_nanosleep(&length, nullptr);
#else
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
#endif
}

}  // namespace tutti::run
