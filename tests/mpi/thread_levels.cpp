// Processes that ask for levels of threads of their own, and make communicators. With an argument
// several threads may call on this rank. Prints "thread levels: all right".

#include <mpi.h>

#include "all_right.hpp"

namespace {

void expect_sum(MPI_Comm comm) {
  int size = 0, number = 1, all = 0;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&number, &all, 1, MPI_INT, MPI_SUM, comm);
  require(all == size, "a sum is wrong");
}

// The last rank starts a sum when it has heard of the first one's.
void expect_sum_at_once(MPI_Comm comm) {
  int size = 0, here = 0, number = 1, all = 0, word = 0;
  MPI_Request request;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &here);
  if (here == size - 1 && here > 0) MPI_Recv(&word, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  MPI_Iallreduce(&number, &all, 1, MPI_INT, MPI_SUM, comm, &request);
  if (here == 0 && size > 1) MPI_Send(&word, 1, MPI_INT, size - 1, 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  require(all == size, "a sum is wrong");
}

void communicators() {
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
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("thread levels", argc, argv, communicators,
                   argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
}
