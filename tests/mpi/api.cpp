// The C++ face of tutti.h.

#include "tutti/tutti.hpp"

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const tutti::phase phase("start");
    const tutti::plan_in_force plan(MPI_COMM_WORLD, "bcast", "binomial");
    if (!plan) std::printf("%s\n", tutti_error());
    value = rank == 0 ? 7 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  unsigned long long by_plan = 0;
  for (const tutti::use& use : tutti::statistics())
    if (use.operation == "MPI_Bcast" && use.plan == "binomial") by_plan += use.calls;
  const bool well = value == 7 && by_plan == 1;
  if (rank == 0) std::printf(well ? "api in C++: all right\n" : "api in C++: wrong\n");
  MPI_Finalize();
  return well ? 0 : 1;
}
