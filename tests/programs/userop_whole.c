/* User's operation that takes the whole vector as one object, a 3x3 matrix (outside the standard, which lets
   a library cut vectors, but common, and right with MPI libraries that do not cut short vectors); and one of
   a 9-element type (within it). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
static void times(const double* a, const double* b, double* c) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      c[3 * i + j] = 0;
      for (int k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
}
static int cut = 0;
static void whole(void* in, void* inout, int* len, MPI_Datatype* t) {
  double c[9];
  if (*len != 9) {
    cut = 1;
    return;
  }
  times(in, inout, c);
  memcpy(inout, c, sizeof c);
}
static void typed(void* in, void* inout, int* len, MPI_Datatype* t) {
  for (int n = 0; n < *len; ++n) {
    double c[9];
    times((double*)in + 9 * n, (double*)inout + 9 * n, c);
    memcpy((double*)inout + 9 * n, c, sizeof c);
  }
}
int main(int argc, char** argv) {
  int rank;
  double a[9], b[9], c[9];
  MPI_Op w, t;
  MPI_Datatype m;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(whole, 0, &w);
  MPI_Op_create(typed, 0, &t);
  MPI_Type_contiguous(9, MPI_DOUBLE, &m);
  MPI_Type_commit(&m);
  for (int i = 0; i < 9; ++i) a[i] = (i * 7 + rank * 3) % 5 - 2;
  for (int i = 0; i < 20; ++i) {
    MPI_Allreduce(a, b, 9, MPI_DOUBLE, w, MPI_COMM_WORLD);
    MPI_Allreduce(a, c, 1, m, t, MPI_COMM_WORLD);
    if (memcmp(b, c, sizeof b)) {
      if (rank == 0) printf("differs, cut %d\n", cut);
      break;
    }
  }
  if (rank == 0) printf("%g %g\n", b[0], c[0]);
  MPI_Finalize();
}
