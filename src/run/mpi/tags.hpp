#pragma once

#include "run/mpi/world.hpp"

namespace tutti::run {

/// The greatest tag of messages. What MPI says of the first communicators holds for all.
inline int highest_tag() {
  static const int known = [] {
    constexpr int surely = 32767;
    int* most = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(world::any_communicator(), MPI_TAG_UB, &most, &found);
    return found ? *most : surely;
  }();
  return known;
}

}  // namespace tutti::run
