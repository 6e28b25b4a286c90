/* Programs that reuse arrays of counts and displacements as soon as a nonblocking call has returned: not
   allowed, but mpi4py's Ireduce_scatter does so (3.1.4 to 4.2), and Open MPI and MPICH read the arrays in the
   call. The arguments name calls; those in place end in "_in". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* How much of what such calls bring is wrong. */
static int wrong_by(const char* op, int in_place, MPI_Comm w, MPI_Comm ring) {
  int rank, size, wrong = 0;
  MPI_Comm_rank(w, &rank);
  MPI_Comm_size(w, &size);
  int ngh = op[0] == 'n', peers = ngh ? 2 : size;
  int bytes = 100 * sizeof(int), *a = malloc(4 * bytes);
  for (int turn = 0; turn < 50; turn++) {
    int *n = a, *d = a + 100, *b = a + 200;
    for (int i = 0; i < 100; i++) n[i] = 3, d[i] = 3 * i, b[i] = 12 * i;
    MPI_Datatype* t = malloc(100 * sizeof *t);
    for (int i = 0; i < 100; i++) t[i] = MPI_INT;
    int *s = malloc(3 * peers * sizeof *s), *r = calloc(3 * peers, sizeof *r);
    for (int i = 0; i < 3 * peers; i++) s[i] = rank;
    void* in = s;
    if (in_place) {
      in = MPI_IN_PLACE;
      for (int i = 0; i < 3 * size; i++) r[i] = !strcmp(op, "allgatherv") && i / 3 != rank ? 0 : rank;
    }
    MPI_Request q;
    MPI_Aint* e = malloc(100 * sizeof *e);
    for (int i = 0; i < 100; i++) e[i] = 12 * i;
    if (!strcmp(op, "gatherv")) MPI_Igatherv(s, 3, MPI_INT, r, n, d, MPI_INT, 0, w, &q);
    if (!strcmp(op, "scatterv")) MPI_Iscatterv(s, n, d, MPI_INT, r, 3, MPI_INT, 0, w, &q);
    if (!strcmp(op, "allgatherv")) MPI_Iallgatherv(in, 3, MPI_INT, r, n, d, MPI_INT, w, &q);
    if (!strcmp(op, "alltoallv")) MPI_Ialltoallv(in, n, d, MPI_INT, r, n, d, MPI_INT, w, &q);
    if (!strcmp(op, "alltoallw")) MPI_Ialltoallw(in, n, b, t, r, n, b, t, w, &q);
    if (!strcmp(op, "reduce_scatter")) MPI_Ireduce_scatter(in, r, n, MPI_INT, MPI_SUM, w, &q);
    if (!strcmp(op, "nallgatherv")) MPI_Ineighbor_allgatherv(s, 3, MPI_INT, r, n, d, MPI_INT, ring, &q);
    if (!strcmp(op, "nalltoallv")) MPI_Ineighbor_alltoallv(s, n, d, MPI_INT, r, n, d, MPI_INT, ring, &q);
    if (!strcmp(op, "nalltoallw")) MPI_Ineighbor_alltoallw(s, n, e, t, r, n, e, t, ring, &q);
    memset(a, 0x55, 4 * bytes), memset(e, 0x55, 100 * sizeof *e), memset(t, 0x55, 100 * sizeof *t);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3 * peers; i++) {
      int from = ngh ? (rank + (i / 3 ? 1 : size - 1)) % size : i / 3, want = from;
      if (!strcmp(op, "gatherv")) want = rank ? 0 : from;
      if (!strcmp(op, "scatterv")) want = 0;
      if (!strcmp(op, "reduce_scatter")) want = i < 3 ? size * (size - 1) / 2 : in_place ? rank : 0;
      wrong += r[i] != want;
    }
    free(s), free(r), free(e), free(t);
  }
  free(a);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, size, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm w = MPI_COMM_WORLD, ring;
  MPI_Comm_rank(w, &rank);
  MPI_Comm_size(w, &size);
  MPI_Cart_create(w, 1, (int[]){size}, (int[]){1}, 0, &ring);
  MPI_Barrier(w), MPI_Barrier(ring);
  for (int i = 1; i < argc; i++) {
    char* op = strdup(argv[i]);
    char* suffix = strstr(op, "_in");
    if (suffix) *suffix = 0;
    int wrong = wrong_by(op, suffix != NULL, w, ring);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, w);
    if (rank == 0) printf("%s: %s, %d\n", argv[i], wrong ? "WRONG" : "all right", wrong);
    all += wrong;
    free(op);
  }
  MPI_Finalize();
  return all != 0;
}
