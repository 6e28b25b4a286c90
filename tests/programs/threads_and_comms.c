/* Threads that make communicators, call collectives on them for the first time and free them, each beside the
 * others'. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 3 };
static MPI_Comm of_thread[threads];
static int turns, wrong[threads];

static void* run(void* argument) {
  const int me = (int)(long)argument;
  int rank, size;
  MPI_Comm_rank(of_thread[me], &rank);
  MPI_Comm_size(of_thread[me], &size);
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Comm copy, half;
    int sum = 0, all = 0, in = rank + 100 * me, token = me;
    MPI_Comm_dup(of_thread[me], &copy);
    MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_split(copy, rank % 2, -rank, &half);
    MPI_Allreduce(&in, &all, 1, MPI_INT, MPI_MAX, half);
    MPI_Bcast(&token, 1, MPI_INT, size - 1, copy);
    wrong[me] += sum != size * (size - 1) / 2 + 100 * me * size || token != me || all / 100 != me;
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level, rank, total = 0;
  pthread_t running[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  turns = level == MPI_THREAD_MULTIPLE ? (argc > 1 ? atoi(argv[1]) : 20) : 0;
  for (long i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
  for (long i = 0; i < threads; ++i) pthread_create(&running[i], NULL, run, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int i = 0; i < threads; ++i) total += wrong[i];
  printf("rank %d: %d turns, %d wrong\n", rank, turns, total);
  MPI_Finalize();
}
