/* Preloaded last with MPICH on emulated clusters, where MPI_Finalize over TCP may hang: the ranks meet once more, then each
   leaves the process. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int PMPI_Finalize(void) {
  const int failed = PMPI_Barrier(MPI_COMM_WORLD);
  fflush(NULL);
  _exit(failed);
}

int MPI_Finalize(void) { return PMPI_Finalize(); }
