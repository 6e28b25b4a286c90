/* Distributed graphs made, duplicated and freed many times, on which Open MPI 4.1 hangs now and
 * then, with and without Tutti. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, size, turns = argc > 1 ? atoi(argv[1]) : 50, dup = argc > 2 ? atoi(argv[2]) : 1,
                  adjacent = argc > 3 ? atoi(argv[3]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  int next = (rank + 1) % size, before = (rank + size - 1) % size, one = 1;
  for (int turn = 0; turn < turns; turn++) {
    MPI_Comm graph, copy;
    if (adjacent)
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                     MPI_INFO_NULL, 0, &graph);
    else
      MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    if (dup) {
      MPI_Comm_dup(graph, &copy);
      MPI_Comm_free(&copy);
    }
    MPI_Comm_free(&graph);
    if (getenv("TELL")) fprintf(stderr, "%d:%d\n", rank, turn);
  }
  if (rank == 0) printf("all right\n");
  MPI_Finalize();
  return 0;
}
