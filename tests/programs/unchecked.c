/* Mistakes that the MPI library reports: MPI_IN_PLACE as the output (p), one buffer for both (a), a type that
 * was not committed (u). */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int x[4] = {1, 2, 3, 4}, way = argc > 1 ? argv[1][0] : 'p', e = 0;
  MPI_Datatype pair;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  if (way == 'p') e = MPI_Allreduce(x, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (way == 'a') e = MPI_Allreduce(x, x, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (way == 'u') e = MPI_Bcast(x, 2, pair, 0, MPI_COMM_WORLD);
  printf("error %d\n", e != MPI_SUCCESS);
  MPI_Finalize();
}
