#pragma once

#include <array>

#include "run/mpi/native.hpp"

namespace tutti::run {

/// Which of some things all ranks of a communicator say: 1, and 0 which not. Collective.
template <std::size_t things>
std::array<int, things> all_say_each(const std::array<int, things>& mine, MPI_Comm comm) {
  std::array<int, things> all{};
  native().MPI_Allreduce(mine.data(), all.data(), static_cast<int>(things), MPI_INT, MPI_MIN, comm);
  return all;
}

/// Whether all ranks of a communicator say so. Collective.
inline bool all_say(bool mine, MPI_Comm comm) {
  return all_say_each(std::array<int, 1>{mine}, comm).front() != 0;
}

/// The largest of the numbers that the ranks of a communicator say. Collective.
inline int largest_said(int mine, MPI_Comm comm) {
  int largest = 0;
  native().MPI_Allreduce(&mine, &largest, 1, MPI_INT, MPI_MAX, comm);
  return largest;
}

}  // namespace tutti::run
