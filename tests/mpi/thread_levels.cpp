// Processes that ask for levels of threads of their own, and make communicators. With an argument
// several threads may call on this rank. Prints "thread levels: all right".

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

void expect_sum(MPI_Comm comm) {
  int ranks = 0, number = 1, all = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Allreduce(&number, &all, 1, MPI_INT, MPI_SUM, comm);
  if (all == ranks) return;
  std::fprintf(stderr, "thread levels: a sum is wrong\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm early, copy, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &early);
  expect_sum(early);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int time = 0; time < 3; ++time) {
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Comm_split(copy, rank % 2, rank, &half);
    expect_sum(half);
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
