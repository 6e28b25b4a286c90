// What short-lived communicators cost: made, called on for the first time, called on again, freed.
//
// Usage: communicators NUMBER [DOUBLES]. Prints microseconds for each, the mean over communicators
// of the slowest rank's.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int number = argc > 1 ? std::atoi(argv[1]) : 1000;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int doubles = argc > 2 ? std::atoi(argv[2]) : 1;
  const std::vector<double> values(static_cast<std::size_t>(doubles), rank);
  std::vector<double> sums(values.size());
  const auto call = [&](MPI_Comm comm) {
    MPI_Allreduce(values.data(), sums.data(), doubles, MPI_DOUBLE, MPI_SUM, comm);
  };
  call(MPI_COMM_WORLD);
  std::array<double, 4> seconds{}, slowest{};
  for (int i = 0; i < number; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    std::array<double, 5> at{MPI_Wtime()};
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    at[1] = MPI_Wtime();
    call(comm);
    at[2] = MPI_Wtime();
    call(comm);
    at[3] = MPI_Wtime();
    MPI_Comm_free(&comm);
    at[4] = MPI_Wtime();
    for (std::size_t j = 0; j < 4; ++j) seconds[j] += at[j + 1] - at[j];
  }
  MPI_Reduce(seconds.data(), slowest.data(), 4, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%.1f %.1f %.1f %.1f\n", 1e6 * slowest[0] / number, 1e6 * slowest[1] / number,
                1e6 * slowest[2] / number, 1e6 * slowest[3] / number);
  MPI_Finalize();
  return 0;
}
