/* Errors of messages that a communicator returns, where MPI_COMM_WORLD's are fatal. */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, x[4] = {0}, c = 0, e;
  MPI_Comm comm;
  MPI_Request r;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Barrier(comm);
  e = MPI_Send(x, 1, MPI_DATATYPE_NULL, 0, 0, comm);
  MPI_Error_class(e, &c);
  printf("send %d\n", c);
  e = MPI_Isend(x, -1, MPI_INT, 0, 0, comm, &r);
  MPI_Error_class(e, &c);
  printf("isend %d\n", c);
  e = MPI_Send(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm);
  MPI_Error_class(e, &c);
  printf("proc null %d\n", c);
  e = MPI_Sendrecv(x, 1, MPI_DATATYPE_NULL, 0, 0, x, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Error_class(e, &c);
  printf("sendrecv %d\n", c);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
}
