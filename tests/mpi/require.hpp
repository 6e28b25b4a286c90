#pragma once

#include <mpi.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

/// Ends all ranks of the program with a word about what is wrong, and where, unless it holds. Where
/// there is no MPI_COMM_WORLD, as in a program of sessions, this process ends.
inline void require(bool holds, const char* what) {
  if (holds) return;
  int begun = 0, over = 0, rank = 0, ranks = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&over);
  if (!begun || over) {
    std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    std::_Exit(1);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::fprintf(stderr, "%s: rank %d of %d: %s\n", program_invocation_short_name, rank, ranks, what);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // MPICH's launcher loses what is on its way
  MPI_Abort(MPI_COMM_WORLD, 1);
}
inline void require(bool holds, const std::string& what) {
  require(holds, what.c_str());
}
