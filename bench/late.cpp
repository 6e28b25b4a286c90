// A program for bench/arrival: iterations of computing and a collective to which ranks come late.
// Prints the seconds that they took.
//
//     late OPERATION BYTES ARRIVAL COMPUTING ITERATIONS SEED
//
// ARRIVAL and COMPUTING are those of bench/judged.cpp.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "late_ranks.hpp"

int main(int argc, char** argv) {
  using namespace tutti::bench;
  MPI_Init(&argc, &argv);
  if (argc != 7 || !arrivals.contains(argv[3])) {
    std::fprintf(stderr, "usage: late OPERATION BYTES ARRIVAL COMPUTING ITERATIONS SEED\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Program program(argv[1], std::atoi(argv[2]), arrivals.at(argv[3]), std::atof(argv[4]) * 1e-3, 0,
                  static_cast<unsigned>(std::atoi(argv[6])));
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < std::atoi(argv[5]); ++i) program.iterate(MPI_COMM_WORLD);
  double seconds = MPI_Wtime() - begin, slowest = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%.6f\n", slowest);
  MPI_Finalize();
  return 0;
}
