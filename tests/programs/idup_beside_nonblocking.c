/* MPI_Comm_idup beside nonblocking collectives on the same communicator, of one size and of sizes of
 * which each rank knows its own, completed together by MPI_Waitall; a barrier ends every other turn.
 * argv[1]: how many at a time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, ranks, wrong = 0, n = argc > 1 ? atoi(argv[1]) : 4, turns = argc > 2 ? atoi(argv[2]) : 20;
  MPI_Comm made[100];
  MPI_Request q[300];
  int in[100], out[100], given[300], got[100][300], counts[100], places[100];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 100) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int r = 0; r < ranks; r++) counts[r] = 1 + (r + rank) % 3, places[r] = 3 * r;
  for (int r = 0; r < 3 * ranks; r++) given[r] = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < turns; turn++) {
    for (int i = 0; i < n; i++) {
      in[i] = 1;
      MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[i]);
      MPI_Comm_idup(MPI_COMM_WORLD, &made[i], &q[n + i]);
      for (int r = 0; r < 300; r++) got[i][r] = -1;
      MPI_Ialltoallv(given, counts, places, MPI_INT, got[i], counts, places, MPI_INT, MPI_COMM_WORLD,
                     &q[2 * n + i]);
    }
    MPI_Waitall(3 * n, q, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++) {
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made[i]);
      wrong += out[i] != ranks || sum != ranks;
      for (int r = 0; r < ranks; r++)
        for (int k = 0; k < 3; k++) wrong += got[i][3 * r + k] != (k < counts[r] ? r : -1);
      MPI_Comm_free(&made[i]);
    }
    if (turn % 2) MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return 0;
}
