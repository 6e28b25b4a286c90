/* HMPI_Gather and HMPI_Scatter against MPI's own: sizes around the thresholds, all roots, types with gaps, in place. What
   hmpi_elsewhere.c sets holds here, too. */

#include "tutti/hmpi.h"

#include <stdio.h>
#include <string.h>

void set_elsewhere(long gather_m1, long gather_m2, long scatter_s);
const HMPI_Thresholds* thresholds_elsewhere(void);

static int rank, ranks, failures;

static void expect(int well, const char* what, int count, int root) {
  if (well) return;
  fprintf(stderr, "rank %d: %s of %d elements at root %d differs\n", rank, what, count, root);
  ++failures;
}

/* Doubles; with a gap after each, or without. */
static void check(int count, int root, MPI_Datatype type, int stride, int in_place) {
  const size_t own = (size_t)(count * stride), all = own * (size_t)ranks;
  double* mine = calloc(own, sizeof(double));
  double* ours = calloc(all, sizeof(double));
  double* theirs = calloc(all, sizeof(double));
  const int at_root = rank == root;
  for (size_t i = 0; i < own; ++i) mine[i] = 1000.0 * rank + (double)i;
  for (size_t i = 0; i < all; ++i) ours[i] = theirs[i] = at_root && in_place && i / own == (size_t)rank ? mine[i % own] : -1;
  const void* give = in_place && at_root ? MPI_IN_PLACE : mine;
  expect(HMPI_Gather(give, count, type, ours, count, type, root, MPI_COMM_WORLD) == MPI_SUCCESS, "gather", count, root);
  MPI_Gather((void*)give, count, type, theirs, count, type, root, MPI_COMM_WORLD);
  expect(memcmp(ours, theirs, all * sizeof(double)) == 0, "gather", count, root);

  double* got = calloc(own, sizeof(double));
  double* wanted = calloc(own, sizeof(double));
  for (size_t i = 0; i < all; ++i) ours[i] = (double)i;
  void* take = in_place && at_root ? MPI_IN_PLACE : (void*)got;
  expect(HMPI_Scatter(ours, count, type, take, count, type, root, MPI_COMM_WORLD) == MPI_SUCCESS, "scatter", count, root);
  take = in_place && at_root ? MPI_IN_PLACE : (void*)wanted;
  MPI_Scatter(ours, count, type, take, count, type, root, MPI_COMM_WORLD);
  expect(memcmp(got, wanted, own * sizeof(double)) == 0, "scatter", count, root);
  free(mine), free(ours), free(theirs), free(got), free(wanted);
}

/* Doubles that one side has in pairs which travel with the second one first, and the other side one after another. */
static void check_order(int count, int root, MPI_Datatype swapped) {
  const size_t own = 2 * (size_t)count, all = own * (size_t)ranks;
  double* mine = calloc(own, sizeof(double));
  double* ours = calloc(all, sizeof(double));
  double* theirs = calloc(all, sizeof(double));
  for (size_t i = 0; i < own; ++i) mine[i] = 1000.0 * rank + (double)i;
  HMPI_Gather(mine, count, swapped, ours, 2 * count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  MPI_Gather(mine, count, swapped, theirs, 2 * count, MPI_DOUBLE, root, MPI_COMM_WORLD);
  expect(memcmp(ours, theirs, all * sizeof(double)) == 0, "gather of swapped ones", count, root);
  HMPI_Gather(mine, 2 * count, MPI_DOUBLE, ours, count, swapped, root, MPI_COMM_WORLD);
  MPI_Gather(mine, 2 * count, MPI_DOUBLE, theirs, count, swapped, root, MPI_COMM_WORLD);
  expect(memcmp(ours, theirs, all * sizeof(double)) == 0, "gather into swapped ones", count, root);

  double* wanted = calloc(own, sizeof(double));
  HMPI_Scatter(ours, 2 * count, MPI_DOUBLE, mine, count, swapped, root, MPI_COMM_WORLD);
  MPI_Scatter(ours, 2 * count, MPI_DOUBLE, wanted, count, swapped, root, MPI_COMM_WORLD);
  expect(memcmp(mine, wanted, own * sizeof(double)) == 0, "scatter into swapped ones", count, root);
  free(mine), free(ours), free(theirs), free(wanted);
}

/* What MPI says of arguments that are wrong comes back, whatever the thresholds. */
static void check_errors(void) {
  double none[200] = {0};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  expect(HMPI_Gather(none, 200, MPI_DOUBLE, none, 200, MPI_DOUBLE, 0, MPI_COMM_NULL) != MPI_SUCCESS, "no communicator", 200, 0);
  expect(HMPI_Scatter(none, 200, MPI_DATATYPE_NULL, none, 200, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "no type",
         200, 0);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  MPI_Datatype gap, real, three, again, swapped;
  int lengths[2] = {1, 1}, places[2] = {1, 0};
  int all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &gap);
  MPI_Type_commit(&gap);
  MPI_Type_create_f90_real(15, 307, &real); /* a double without a name, which nobody frees */
  MPI_Type_contiguous(3, real, &three);
  MPI_Type_dup(three, &again);
  MPI_Type_commit(&again);
  MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &swapped);
  MPI_Type_commit(&swapped);
  const int counts[] = {0, 1, 12, 13, 100, 999, 1000, 1001};
  expect(HMPI_thresholds()->gather_m1 == 96, "HMPI_GATHER_M1", 0, 0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 8; ++i)
      for (int root = 0; root < ranks; ++root)
        for (int in_place = 0; in_place < 2; ++in_place) {
          check(counts[i], root, MPI_DOUBLE, 1, in_place);
          check(counts[i], root, gap, 2, in_place);
          check(counts[i], root, again, 3, in_place);
          if (!in_place) check_order(counts[i], root, swapped);
        }
    set_elsewhere(1000, 8000, 4000);
    expect(HMPI_thresholds()->gather_m1 == 1000 && HMPI_thresholds()->scatter_s == 4000, "what another file has set", 0, 0);
  }
  HMPI_Set_thresholds(2000, 8000, 4000);
  expect(thresholds_elsewhere()->gather_m1 == 2000, "what this file has set", 0, 0);
  check_errors();
  MPI_Type_free(&gap);
  MPI_Type_free(&three);
  MPI_Type_free(&again);
  MPI_Type_free(&swapped);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("hmpi: all agree\n");
  MPI_Finalize();
  return all != 0;
}
