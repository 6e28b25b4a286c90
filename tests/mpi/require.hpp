#pragma once

#include <mpi.h>

#include <cerrno>
#include <cstdio>
#include <string>

/// Ends all ranks of the program with a word about what is wrong, and where, unless it holds.
inline void require(bool holds, const char* what) {
  if (holds) return;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::fprintf(stderr, "%s: rank %d of %d: %s\n", program_invocation_short_name, rank, ranks, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
inline void require(bool holds, const std::string& what) {
  require(holds, what.c_str());
}
