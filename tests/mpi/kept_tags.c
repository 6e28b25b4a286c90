/* Makes more persistent requests than there are tags, and frees each: nonblocking calls go by their
   plans behind them. Prints "kept tags: all right". */

#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int call = 0; call < 64; ++call) {
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    wrong += sum != ranks;
  }
  for (int call = 0; call < 3; ++call) {
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += sum != ranks;
  }
  MPI_Finalize();
  if (wrong == 0 && rank == 0) printf("kept tags: all right\n");
  return wrong != 0;
}
