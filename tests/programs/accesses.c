/* Accesses whose calls and bytes are known: to windows of all ranks and of one, to files of all ranks and of one, and messages with
   large counts where the MPI library has them. accesses FOLDER */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void windows(MPI_Comm comm) {
  int rank, ranks, next, one = 1, was = 0, zero = 0, i, *memory;
  double some[10];
  MPI_Win window;
  MPI_Request request;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  next = (rank + 1) % ranks;
  MPI_Win_allocate(1000, sizeof(int), MPI_INFO_NULL, comm, &memory, &window);
  memset(some, 0, sizeof some);
  MPI_Win_lock_all(0, window);
  for (i = 0; i < 3; ++i) MPI_Put(some, 10, MPI_DOUBLE, next, 10, 10, MPI_DOUBLE, window);
  MPI_Put(some, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, 0, MPI_DOUBLE, window);
  MPI_Win_flush_all(window);
  for (i = 0; i < 2; ++i) MPI_Get(some, 5, MPI_DOUBLE, next, 10, 5, MPI_DOUBLE, window);
  MPI_Win_flush_all(window);
  MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, window);
  MPI_Get_accumulate(&one, 1, MPI_INT, &was, 1, MPI_INT, next, 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Fetch_and_op(&one, &was, MPI_INT, next, 2, MPI_SUM, window);
  MPI_Win_flush_all(window);
  MPI_Compare_and_swap(&one, &zero, &was, MPI_INT, next, 3, window);
  MPI_Rput(some, 1, MPI_DOUBLE, next, 10, 1, MPI_DOUBLE, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void files(MPI_Comm comm, const char* name) {
  int rank, numbers[25];
  MPI_File file;
  MPI_Request request;
  MPI_Comm_rank(comm, &rank);
  memset(numbers, 0, sizeof numbers);
  MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 100 * rank, numbers, 25, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_at_all(file, 100 * rank, numbers, 25, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, 100 * rank, numbers, 20, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 100 * rank, numbers, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  int rank, ranks;
  char all[1024], own[1024];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD); /* profiles of all ranks come together where a collective told them of each other */
  windows(MPI_COMM_WORLD);
  windows(MPI_COMM_SELF);
  snprintf(all, sizeof all, "%s/all", argv[1]);
  snprintf(own, sizeof own, "%s/own-%d", argv[1], rank);
  files(MPI_COMM_WORLD, all);
  files(MPI_COMM_SELF, own);
#if MPI_VERSION >= 4
  {
    char byte[100] = {0};
    MPI_Request request;
    MPI_Irecv_c(byte, 100, MPI_CHAR, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &request);
    MPI_Send_c(byte, 100, MPI_CHAR, (rank + 1) % ranks, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
#endif
  printf("rank %d\n", rank);
  MPI_Finalize();
  return 0;
}
