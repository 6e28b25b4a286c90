/* Calls to which a rank comes 50 ms late, 40 on all ranks and 20 on each of their pairs: rank 1 always, or by "turns" another rank each
   time; to half of the barriers behind these. late_ranks [turns] */

#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int turns;

static void come(int call, int rank, int ranks) {
  if (turns ? call * 7 / 3 % ranks == rank : rank == 1) usleep(50000);
}

int main(int argc, char** argv) {
  int rank, ranks, call, pair_rank;
  double own = 1, sum = 0;
  MPI_Comm pair;
  MPI_Init(&argc, &argv);
  turns = argc > 1 && !strcmp(argv[1], "turns");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (call = 0; call < 40; ++call) {
    come(call, rank, ranks);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  MPI_Comm_rank(pair, &pair_rank);
  for (call = 0; call < 20; ++call) {
    come(call, pair_rank, 2);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, pair);
  }
  MPI_Comm_free(&pair);
  for (call = 0; call < 20; ++call) {
    if (call % 2) come(call, rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
