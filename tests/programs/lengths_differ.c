/* Lengths that differ between ranks, a program's mistake: every call returns on every rank, and gives either
 * no error or one of a message that is too long, as point-to-point messages do; a broadcast that is too long
 * gives that. */
#include <mpi.h>
#include <stdio.h>

enum { operations = 7, lengths = 5, most = 100000 };

static int call(int operation, const int* in, int* out, int own, int roots, MPI_Comm comm) {
  switch (operation) {
    case 0:
      return MPI_Bcast(out, own, MPI_INT, 0, comm);
    case 1:
      return MPI_Reduce(in, out, own, MPI_INT, MPI_SUM, 0, comm);
    case 2:
      return MPI_Allreduce(in, out, own, MPI_INT, MPI_SUM, comm);
    case 3:
      return MPI_Gather(in, own, MPI_INT, out, roots, MPI_INT, 0, comm);
    case 4:
      return MPI_Scatter(in, roots, MPI_INT, out, own, MPI_INT, 0, comm);
    case 5:
      return MPI_Allgather(in, own, MPI_INT, out, own, MPI_INT, comm);
    default:
      return MPI_Alltoall(in, own, MPI_INT, out, own, MPI_INT, comm);
  }
}

int main(int argc, char** argv) {
  static int in[2 * most], out[2 * most];
  const int of_root[lengths] = {10, 20, most, 30000, 4096},
            of_others[lengths] = {20, 10, 10, 60000, 2048};  /* the last ends with a cell of memory */
  int rank, wrong = 0, errors = 0, all[2], mine[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int operation = 0; operation < operations; ++operation)
    for (int i = 0; i < lengths; ++i) {
      MPI_Comm comm;
      int class;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      MPI_Error_class(call(operation, in, out, rank == 0 ? of_root[i] : of_others[i], of_root[i], comm),
                      &class);
      errors += class == MPI_ERR_TRUNCATE;
      wrong += class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE;
      wrong += operation == 0 && of_root[i] > of_others[i] && rank != 0 && class != MPI_ERR_TRUNCATE;
    }
  mine[0] = wrong, mine[1] = errors;
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("all calls return: %s\n", all[0] == 0 && all[1] > 0 ? "right" : "WRONG");
  MPI_Finalize();
}
