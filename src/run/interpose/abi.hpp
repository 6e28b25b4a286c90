#pragma once

#include <atomic>

namespace tutti::interpose {

/// Whether the program runs on the MPI library that this copy of Tutti was built for. Handles mean
/// different things in different libraries: where the answer is no, everything has to pass through
/// untouched. Says so once on standard error. Makes no call that looks at a handle.
bool right_mpi_slowly();

enum class Abi : int { unknown, right, wrong };
inline constinit std::atomic<Abi> known_abi{Abi::unknown};

inline bool right_mpi() {
  const Abi known = known_abi.load(std::memory_order_relaxed);
  return known == Abi::right || (known == Abi::unknown && right_mpi_slowly());
}

/// Where Tutti is part of the program the MPI is surely ours.
inline bool is_ours() {
#ifdef TUTTI_LINKED_IN
  return true;
#else
  return right_mpi();
#endif
}

}  // namespace tutti::interpose
