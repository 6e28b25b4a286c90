/* A truncated message among requests that MPI_Waitall completes, while a nonblocking collective is under way, and afterwards
 * when there is none: the second error goes to the same handler as the first. Behind it is no request.
 */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size, x = 1, y, two[2] = {1, 2}, one, c = 0;
  MPI_Request r[4];
  MPI_Status s[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int first = 0; first < 2; ++first) {
    if (first == 0) MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, r);
    MPI_Irecv(&one, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, r + 1);
    MPI_Isend(two, 2, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, r + 2);
    r[3] = MPI_REQUEST_NULL;
    for (int i = 0; i < 4; ++i) s[i].MPI_ERROR = -1;
    int e = MPI_Waitall(4 - first, r + first, s + first);
    MPI_Error_class(e, &c);
    printf("rank %d: in status %d, truncated there %d, receive's request null %d, nothing wrong of none %d\n",
           rank, c == MPI_ERR_IN_STATUS, s[1].MPI_ERROR > 0, r[1] == MPI_REQUEST_NULL,
           s[3].MPI_ERROR == MPI_SUCCESS);
  }
  MPI_Finalize();
}
