/* Ranks count down a shared counter by fetch-and-op and flush; an Ibarrier is begun before that, and one rank
   adds to the counter only when its Ibarrier is complete. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size, mem = 0, got = 0, one = 1, way = argc > 1 ? argv[1][0] : 'f';
  MPI_Request r;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_create(&mem, sizeof mem, sizeof mem, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Ibarrier(MPI_COMM_WORLD, &r);
  if (rank == size - 1) {
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(0, win);
  } else {
    while (!got) {
      MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, 0, MPI_NO_OP, win);
      if (way == 'f')
        MPI_Win_flush(0, win);
      else {
        MPI_Win_flush_all(win);
        MPI_Win_sync(win);
      }
    }
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
  printf("rank %d: %d\n", rank, got);
  MPI_Win_free(&win);
  MPI_Finalize();
}
