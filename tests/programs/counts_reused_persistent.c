/* As counts_reused.c, of persistent collectives: arrays reused once the request is made (mpi4py's
   Allgatherv_init and Reduce_scatter_init do so). The arguments name calls; those in place end in "_in".
   MPI 4. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* How much of what such calls bring is wrong. */
static int wrong_by(const char* op, int in_place, MPI_Comm w) {
  int rank, size, wrong = 0;
  MPI_Info i0 = MPI_INFO_NULL;
  MPI_Comm_rank(w, &rank);
  MPI_Comm_size(w, &size);
  for (int turn = 0; turn < 50; turn++) {
    int n[100], d[100], b[100], s[300], r[300];
    MPI_Datatype t[100];
    for (int i = 0; i < 100; i++) n[i] = 3, d[i] = 3 * i, b[i] = 12 * i, t[i] = MPI_INT;
    for (int i = 0; i < 300; i++)
      s[i] = rank, r[i] = in_place && (strcmp(op, "allgatherv") || i / 3 == rank) ? rank : 0;
    void* in = in_place ? MPI_IN_PLACE : s;
    MPI_Request q;
    if (!strcmp(op, "gatherv")) MPI_Gatherv_init(s, 3, MPI_INT, r, n, d, MPI_INT, 0, w, i0, &q);
    if (!strcmp(op, "scatterv")) MPI_Scatterv_init(s, n, d, MPI_INT, r, 3, MPI_INT, 0, w, i0, &q);
    if (!strcmp(op, "allgatherv")) MPI_Allgatherv_init(in, 3, MPI_INT, r, n, d, MPI_INT, w, i0, &q);
    if (!strcmp(op, "alltoallv")) MPI_Alltoallv_init(in, n, d, MPI_INT, r, n, d, MPI_INT, w, i0, &q);
    if (!strcmp(op, "alltoallw")) MPI_Alltoallw_init(in, n, b, t, r, n, b, t, w, i0, &q);
    if (!strcmp(op, "reduce_scatter")) MPI_Reduce_scatter_init(in, r, n, MPI_INT, MPI_SUM, w, i0, &q);
    memset(n, 0x55, sizeof n), memset(d, 0x55, sizeof d), memset(b, 0x55, sizeof b),
        memset(t, 0x55, sizeof t);
    MPI_Start(&q);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    MPI_Request_free(&q);
    for (int i = 0; i < 3 * size; i++) {
      int want = i / 3;
      if (!strcmp(op, "gatherv") && rank) want = 0;
      if (!strcmp(op, "scatterv")) want = 0;
      if (!strcmp(op, "reduce_scatter")) want = i < 3 ? size * (size - 1) / 2 : in_place ? rank : 0;
      wrong += r[i] != want;
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  int rank, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Comm_rank(w, &rank);
  for (int i = 1; i < argc; i++) {
    char* op = strdup(argv[i]);
    char* suffix = strstr(op, "_in");
    if (suffix) *suffix = 0;
    int wrong = wrong_by(op, suffix != NULL, w);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, w);
    if (rank == 0) printf("%s: %s, %d\n", argv[i], wrong ? "WRONG" : "all right", wrong);
    all += wrong;
    free(op);
  }
  MPI_Finalize();
  return all != 0;
}
