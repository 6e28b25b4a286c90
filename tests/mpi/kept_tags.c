/* Makes more persistent requests than there are tags: some are kept, the others are freed, on odd
   ranks one request later than on even ones. All go by their plans, and nonblocking calls behind
   them. Prints "kept tags: all right". */

#include <mpi.h>
#include <stdio.h>

enum { kept = 5, made = 64 };

static int ranks, wrong;

static void make(int* one, int* sum, MPI_Request* request) {
  MPI_Allreduce_init(one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

static void start(MPI_Request* request, const int* sum) {
  MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  wrong += *sum != ranks;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, one = 1, sums[kept + 2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request requests[kept], last[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < kept; ++i) make(&one, sums + i, requests + i);
  for (int call = 0; call < made; ++call) {
    MPI_Request* const request = last + call % 2;
    int* const sum = sums + kept + call % 2;
    if (*request != MPI_REQUEST_NULL) MPI_Request_free(request);
    make(&one, sum, request);
    start(request, sum);
    start(requests + call % kept, sums + call % kept);
    if (rank % 2 == 0) MPI_Request_free(request);
  }
  for (int i = 0; i < 2; ++i)
    if (last[i] != MPI_REQUEST_NULL) MPI_Request_free(last + i);
  for (int i = 0; i < kept; ++i) MPI_Request_free(requests + i);
  for (int call = 0; call < 3; ++call) {
    int sum = 0;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += sum != ranks;
  }
  MPI_Finalize();
  if (wrong == 0 && rank == 0) printf("kept tags: all right\n");
  return wrong != 0;
}
