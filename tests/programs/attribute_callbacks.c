/* Callbacks for attributes that call collectives on the communicator which is being freed, before and
 * behind those of others, and the next communicator, of other ranks, which may have its handle. */
#include <mpi.h>
#include <stdio.h>

static int called = 0, wrong = 0;

static void sum_up(MPI_Comm comm) {
  int ranks, one = 1, sum = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  wrong += sum != ranks;
}

static int deleted(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  called++;
  sum_up(comm);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int rank, first, second;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &first, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &second, NULL);
  for (int i = 0; i < 30; i++) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? rank / 2 : i % 3 == 1 ? rank % 2 : 0, rank, &comm);
    MPI_Comm_set_attr(comm, rank % 2 ? first : second, NULL);
    if (i % 4 != 3) sum_up(comm);
    MPI_Comm_set_attr(comm, rank % 2 ? second : first, NULL);
    if (i % 2)
      MPI_Comm_free(&comm);
    else
      MPI_Comm_disconnect(&comm);
  }
  MPI_Comm_free_keyval(&first);
  MPI_Comm_free_keyval(&second);
  printf("rank %d: %d wrong of %d callbacks\n", rank, wrong, called);
  MPI_Finalize();
  return 0;
}
