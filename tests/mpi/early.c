/* Three ranks, of which one comes to a collective early and one late, while the third waits for both
   and has a long message under way; and communicators whose programs are made one after another.
   Prints "early: all right". */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { length = 1 << 20, lengths = 6 };

/* What is made for each length is made where all know of it. */
static int grows(MPI_Comm comm) {
  char data[8 * lengths] = {0};
  int rank, wrong = 0;
  MPI_Comm_rank(comm, &rank);
  for (int i = 1; i <= lengths; ++i) {
    if (rank == 0) data[8 * i - 1] = (char)i;
    MPI_Bcast(data, 8 * i, MPI_CHAR, 0, comm);
    wrong += data[8 * i - 1] != i;
  }
  return wrong;
}

/* Rank 0 waits for rank 1 in a reduction, whose message it has to let through, while a message of
   the broadcast behind has come from rank 2. */
static int waits(int rank) {
  char* const sent = calloc(length, 1);
  char* const received = calloc(length, 1);
  int one = 1, sum = 0, root = rank == 2, wrong = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Irecv(received, length, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
  if (rank == 1) {
    usleep(200000);
    sent[length - 1] = 7;
    MPI_Send(sent, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(&root, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  wrong = root != 1 || (rank == 0 && (sum != 3 || received[length - 1] != 7));
  free(sent);
  free(received);
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, wrong = 0, one = 1, sum = 0;
  MPI_Comm other;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Bcast(&one, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  wrong += grows(MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  wrong += grows(other);
  MPI_Comm_free(&other);
  wrong += waits(rank);
  MPI_Finalize();
  if (wrong == 0 && rank == 0) printf("early: all right\n");
  return wrong != 0;
}
