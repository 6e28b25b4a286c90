#pragma once

#include <mpi.h>

namespace tutti::run {

/// The greatest tag of messages. What MPI says of MPI_COMM_WORLD holds for all communicators.
inline int highest_tag() {
  static const int known = [] {
    constexpr int surely = 32767;
    int* most = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found);
    return found ? *most : surely;
  }();
  return known;
}

}  // namespace tutti::run
