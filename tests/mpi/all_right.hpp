#pragma once

#include <mpi.h>

#include <cstdio>
#include <optional>

#include "require.hpp"

/// This process in MPI_COMM_WORLD, and the number of processes there.
inline int rank = 0, ranks = 0;

/// Runs what a program is for between MPI_Init and MPI_Finalize, or between MPI_Init_thread, which
/// is asked for that level of threads, and MPI_Finalize. It requires what has to hold; then rank 0
/// prints "NAME: all right". Returns the program's exit status.
template <typename Run>
int all_right(const char* name, int& argc, char**& argv, Run&& run, std::optional<int> threads = {}) {
  int provided = 0;
  if (threads)
    MPI_Init_thread(&argc, &argv, *threads, &provided);
  else
    MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  run();
  if (rank == 0) std::printf("%s: all right\n", name);
  std::fflush(stdout);
  MPI_Finalize();
  return 0;
}
