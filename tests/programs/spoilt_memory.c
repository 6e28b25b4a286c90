/* A collective that fails halfway on one communicator, by lengths that differ between ranks, and
 * others on communicators of the same ranks that were used before it: what these get is right, or
 * they give an error; all calls return, and a communicator that is made afterwards works. It has to
 * fail on some rank.
 * Usage: spoilt_memory [at_once], with collectives that do not block. */
#include <mpi.h>
#include <stdio.h>

enum { ranks_at_most = 8, most = 20 };

static int rank, ranks, at_once;

static int allgather(const void* in, int count, void* out, MPI_Comm comm) {
  MPI_Request request;
  int error;
  if (!at_once) return MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
  error = MPI_Iallgather(in, count, MPI_INT, out, count, MPI_INT, comm, &request);
  return error == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : error;
}

/* Whether all blocks are there, or the call has failed. */
static int is_right_or_fails(MPI_Comm comm, int number, int* failed) {
  int mine = 100 * number + rank, all[ranks_at_most], right = 1;
  *failed = allgather(&mine, 1, all, comm) != MPI_SUCCESS;
  for (int other = 0; other < ranks && !*failed; ++other) right &= all[other] == 100 * number + other;
  return right;
}

int main(int argc, char** argv) {
  int in[most] = {0}, out[most * ranks_at_most], right = 1, failed = 0, halfway = 0, mine[2], all[2];
  MPI_Comm comms[3], later;
  MPI_Init(&argc, &argv);
  at_once = argc > 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* of requests that have failed */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    right &= is_right_or_fails(comms[i], i, &failed) && !failed;
    MPI_Barrier(comms[i]); /* ranks share memory for calls that do not block where one blocks */
    MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
  }
  const int own = rank == 0 ? most : most / 2;
  halfway = allgather(in, own, out, comms[0]) != MPI_SUCCESS;
  for (int i = 2; i >= 0; --i)
    for (int number = 3; number < 6; ++number) right &= is_right_or_fails(comms[i], number, &failed);
  MPI_Comm_dup(MPI_COMM_WORLD, &later);
  MPI_Barrier(later);
  right &= is_right_or_fails(later, 7, &failed) && !failed;
  mine[0] = !right, mine[1] = halfway;
  MPI_Allreduce(mine, all, 2, MPI_INT, MPI_LOR, later);
  if (rank == 0) printf("behind a call that fails: %s\n", !all[0] && all[1] ? "right" : "WRONG");
  MPI_Finalize();
}
