/* A type that was made with large counts (MPI-4) in ordinary collectives: MPI_Type_get_envelope is an error
 * on it. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, x[8] = {0};
  MPI_Datatype four;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous_c(4, MPI_INT, &four);
  MPI_Type_commit(&four);
  if (rank == 0)
    for (int i = 0; i < 8; ++i) x[i] = i;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(x, 2, four, 0, MPI_COMM_WORLD);
  printf("rank %d: %d\n", rank, x[7]);
  MPI_Type_free(&four);
  MPI_Finalize();
}
