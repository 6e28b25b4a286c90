/* Whether a broadcast of 256 bytes among four ranks on this MPI needs one rank before another one can leave: from rank 0 along a tree rank 1 does
   not need rank 3, by a scatter and a ring it does. So the algorithm shows, without a clock: the latter sends a message once it has left, and the
   former comes when it has that, or has waited in vain.

   Usage: waits_for [ROOT LEAVES COMES]: 0 1 3 if nothing else is said. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char data[256] = {0};
  const int root = argc > 3 ? atoi(argv[1]) : 0, leaves = argc > 3 ? atoi(argv[2]) : 1, comes = argc > 3 ? atoi(argv[3]) : 3;
  int rank, ranks, came = 0, warm_up, tries;
  MPI_Request message;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (warm_up = 0; warm_up < 3; ++warm_up) MPI_Bcast(data, sizeof data, MPI_BYTE, root, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == comes) {
    MPI_Irecv(NULL, 0, MPI_BYTE, leaves, 1, MPI_COMM_WORLD, &message);
    for (tries = 0; tries < 2000 && !came; ++tries) {
      MPI_Test(&message, &came, MPI_STATUS_IGNORE);
      usleep(1000);
    }
  }
  if (rank == root) data[255] = 42;
  MPI_Bcast(data, sizeof data, MPI_BYTE, root, MPI_COMM_WORLD);
  if (rank == leaves) MPI_Send(NULL, 0, MPI_BYTE, comes, 1, MPI_COMM_WORLD);
  if (rank == comes) {
    printf(came ? "does not wait\n" : "waits\n");
    if (!came) MPI_Wait(&message, MPI_STATUS_IGNORE);
  }
  if (data[255] != 42) printf("wrong\n");
  MPI_Finalize();
  return ranks != 4 || data[255] != 42;
}
