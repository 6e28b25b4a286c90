/* Whether a broadcast of 256 bytes among four ranks on this MPI needs the last rank before the second one can leave: along a tree it does not, by a scatter
   and a ring it does. So the algorithm shows, without a clock: rank 1 sends a message once it has left, and rank 3 comes when it has that, or
   has waited in vain. */

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char data[256] = {0};
  int rank, ranks, came = 0, warm_up, tries;
  MPI_Request message;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (warm_up = 0; warm_up < 3; ++warm_up) MPI_Bcast(data, sizeof data, MPI_BYTE, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 3) {
    MPI_Irecv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &message);
    for (tries = 0; tries < 2000 && !came; ++tries) {
      MPI_Test(&message, &came, MPI_STATUS_IGNORE);
      usleep(1000);
    }
  }
  if (rank == 0) data[255] = 42;
  MPI_Bcast(data, sizeof data, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Send(NULL, 0, MPI_BYTE, 3, 1, MPI_COMM_WORLD);
  if (rank == 3) {
    printf(came ? "does not wait\n" : "waits\n");
    if (!came) MPI_Wait(&message, MPI_STATUS_IGNORE);
  }
  if (data[255] != 42) printf("wrong\n");
  MPI_Finalize();
  return ranks != 4;
}
