// Starts MPI, reduces one number twice, and ends: start prints the microseconds that rank 0 spent
// in MPI_Init, in the first allreduce, and in the second.

#include <mpi.h>

#include <chrono>
#include <cstdio>

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;  // MPI's may not be asked before it begins
  const auto begin = Clock::now();
  MPI_Init(&argc, &argv);
  const std::chrono::duration<double> starting = Clock::now() - begin;
  int rank = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto seconds = [&] {
    const double start = MPI_Wtime();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Wtime() - start;
  };
  const double first = seconds(), second = seconds();
  if (rank == 0) std::printf("%.3f %.3f %.3f\n", 1e6 * starting.count(), 1e6 * first, 1e6 * second);
  MPI_Finalize();
  return 0;
}
