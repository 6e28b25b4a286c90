/* In which order reductions combine operands on this MPI, as a number that differs with the brackets and sides of the operands: by it the
   algorithm shows. The operation says that it commutes, so that the library may take any. Rank 0 prints a line an operation.

   Usage: combines [threads]: with MPI_THREAD_MULTIPLE. */

#include <mpi.h>
#include <stdio.h>

enum { elements = 64 };

static void combine(void* given, void* result, int* length, MPI_Datatype* type) {
  unsigned *a = given, *b = result;
  int i;
  (void)type;
  for (i = 0; i < *length; ++i) b[i] = a[i] * 2654435761u ^ (b[i] * 40503u + a[i] / 7 + 17);
}

static void say(const char* operation, const unsigned* result, int length) {
  unsigned hash = 2166136261u, all;
  int rank, i;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  hash += (unsigned)rank; /* equal results must not cancel out */
  for (i = 0; i < length; ++i) hash = (hash ^ result[i]) * 16777619u;
  MPI_Reduce(&hash, &all, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %08x\n", operation, all);
}

static void reduce_on(MPI_Comm comm, const char* name, MPI_Op op) {
  unsigned given[elements], result[elements] = {0};
  int rank, ranks, i;
  char line[64];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (i = 0; i < elements; ++i) given[i] = (unsigned)(77 * rank + 3 * i);
  MPI_Allreduce(given, result, elements, MPI_UNSIGNED, op, comm);
  snprintf(line, sizeof line, "%s allreduce", name);
  say(line, result, elements);
  for (i = 0; i < elements; ++i) result[i] = 0;
  MPI_Reduce(given, result, elements, MPI_UNSIGNED, op, ranks - 1, comm);
  snprintf(line, sizeof line, "%s reduce", name);
  say(line, result, elements);
  MPI_Reduce_scatter_block(given, result, elements / ranks, MPI_UNSIGNED, op, comm);
  snprintf(line, sizeof line, "%s reduce_scatter_block", name);
  say(line, result, elements / ranks);
}

int main(int argc, char** argv) {
  MPI_Comm copy, half;
  MPI_Op op;
  int rank, provided;
  MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(combine, 1, &op);
  reduce_on(MPI_COMM_WORLD, "world", op);
  reduce_on(MPI_COMM_WORLD, "again", op);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  reduce_on(copy, "copy", op);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  reduce_on(half, "half", op);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
