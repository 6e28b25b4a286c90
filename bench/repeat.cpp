// Runs allgathers one after another for SECONDS seconds; rank 0 says when each began and what it
// took.
//
//     repeat BYTES SECONDS

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc > 1 ? std::atoi(argv[1]) : 65536;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 10;
  std::vector<char> mine(static_cast<std::size_t>(bytes)), all(mine.size() * static_cast<std::size_t>(ranks));
  const double begin = MPI_Wtime();
  for (int more = 1; more;) {
    const double start = MPI_Wtime();
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    const double took = MPI_Wtime() - start;
    double slowest = 0;
    MPI_Reduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%.6f %.7f\n", start - begin, slowest);
    more = MPI_Wtime() - begin < seconds;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
