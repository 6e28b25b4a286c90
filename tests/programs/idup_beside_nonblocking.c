/* MPI_Comm_idup beside a nonblocking collective on the same communicator, completed together by MPI_Waitall.
 * argv[1]: how many at a time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, ranks, wrong = 0, n = argc > 1 ? atoi(argv[1]) : 4, turns = argc > 2 ? atoi(argv[2]) : 20;
  MPI_Comm made[100];
  MPI_Request q[200];
  int in[100], out[100];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < turns; turn++) {
    for (int i = 0; i < n; i++) {
      in[i] = 1;
      MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q[i]);
      MPI_Comm_idup(MPI_COMM_WORLD, &made[i], &q[n + i]);
    }
    MPI_Waitall(2 * n, q, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++) {
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made[i]);
      wrong += out[i] != ranks || sum != ranks;
      MPI_Comm_free(&made[i]);
    }
  }
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return 0;
}
