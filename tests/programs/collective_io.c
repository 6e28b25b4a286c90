/* Nonblocking collective writes, whose own collectives the MPI library makes when a rank looks at the
 * request, which ranks do in different ways, beside persistent collectives where MPI has any. argv[1]: the
 * file; argv[2]: how many writes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { blocks = 64, length = 16 };

int main(int argc, char** argv) {
  static int data[blocks * length];
  int rank, ranks, wrong = 0, writes = argc > 2 ? atoi(argv[2]) : 20;
  MPI_File file;
  MPI_Datatype every;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
#if MPI_VERSION >= 4
  MPI_Request persistent;
  int mine, all = 0;
  MPI_Allreduce_init(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
#endif
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_Type_vector(blocks, length, length * ranks, MPI_INT, &every);
  MPI_Type_commit(&every);
  MPI_File_set_view(file, rank * length * (int)sizeof(int), MPI_INT, every, "native", MPI_INFO_NULL);
  for (int i = 0; i < writes; i++) {
    const int before = (rank + ranks - 1) % ranks, behind = (rank + 1) % ranks;
    MPI_Request request, several[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int in[length], done = 0, index = 0, told = -1, one = 1, sum = 0;
    for (int k = 0; k < blocks * length; k++) data[k] = i + rank;
#if MPI_VERSION >= 4
    mine = i;
    MPI_Start(&persistent);
    several[2] = persistent;
#endif
    MPI_File_iwrite_at_all(file, 0, data, blocks * length, MPI_INT, &request);
    switch ((rank + i) % 6) {
      case 0:
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        break;
      case 1:
        while (!done) MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE);
        break;
      case 2:
        several[1] = request; /* behind a message that its sender sends when it has written */
        MPI_Irecv(&told, 1, MPI_INT, behind, 7, MPI_COMM_WORLD, &several[0]);
        MPI_Waitall(3, several, MPI_STATUSES_IGNORE);
        break;
      case 3:
        MPI_Waitany(1, &request, &done, MPI_STATUS_IGNORE);
        break;
      case 4:
        MPI_Waitsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
        break;
      default:
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Send(&i, 1, MPI_INT, before, 7, MPI_COMM_WORLD);
    if ((rank + i) % 6 != 2) MPI_Recv(&told, 1, MPI_INT, behind, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += told != i;
#if MPI_VERSION >= 4
    if ((rank + i) % 6 != 2) MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    wrong += all != ranks * i;
#endif
    MPI_File_read_at_all(file, 0, in, length, MPI_INT, MPI_STATUS_IGNORE);
    for (int k = 0; k < length; k++) wrong += in[k] != i + rank;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != ranks;
  }
#if MPI_VERSION >= 4
  MPI_Request_free(&persistent);
#endif
  MPI_File_close(&file);
  MPI_Type_free(&every);
  printf("rank %d: %d wrong\n", rank, wrong);
  MPI_Finalize();
  return 0;
}
