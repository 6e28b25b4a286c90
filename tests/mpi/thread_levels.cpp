// Processes that ask for levels of threads of their own, and make communicators. With an argument
// several threads may call on this rank. Prints "thread levels: all right".

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

void expect(bool right) {
  if (right) return;
  std::fprintf(stderr, "thread levels: a sum is wrong\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void expect_sum(MPI_Comm comm) {
  int ranks = 0, number = 1, all = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(&number, &all, 1, MPI_INT, MPI_SUM, comm);
  expect(all == ranks);
}

// The last rank starts a sum when it has heard of the first one's.
void expect_sum_at_once(MPI_Comm comm) {
  int ranks = 0, rank = 0, number = 1, all = 0, word = 0;
  MPI_Request request;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  if (rank == ranks - 1 && rank > 0) MPI_Recv(&word, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  MPI_Iallreduce(&number, &all, 1, MPI_INT, MPI_SUM, comm, &request);
  if (rank == 0 && ranks > 1) MPI_Send(&word, 1, MPI_INT, ranks - 1, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(all == ranks);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm early, copy, half, copy_of_half;
  MPI_Comm_dup(MPI_COMM_WORLD, &early);
  expect_sum(early);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int time = 0; time < 3; ++time) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Comm_split(copy, rank % 2, rank, &half);
    MPI_Comm_dup(half, &copy_of_half);
    expect_sum_at_once(copy_of_half);
    expect_sum(half);
    MPI_Comm_free(&copy_of_half);
    expect_sum(copy);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
  }
  expect_sum(early);
  MPI_Comm_free(&early);
  if (rank == 0) std::printf("thread levels: all right\n");
  MPI_Finalize();
  return 0;
}
