/* Stands in for hosts of two ranks each, at three switches in two rows, that do not lie in order:
   what MPI calls a process's host goes by the rank on the real one, and so does what Slurm tells
   processes, unless NO_SLURM is set. Put behind Tutti. */

#include <stdio.h>
#include <stdlib.h>

static int host(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  if (!rank) rank = getenv("MPI_LOCALRANKID");
  return rank ? atoi(rank) / 2 : 0;
}

int PMPI_Get_processor_name(char* name, int* length) {
  *length = sprintf(name, "host%d", host());
  return 0;
}

__attribute__((constructor)) static void tell(void) {
  char address[64];
  sprintf(address, "row%d.switch%d.host%d", host() % 3 / 2, host() % 3, host());
  if (!getenv("NO_SLURM")) setenv("SLURM_TOPOLOGY_ADDR", address, 1);
}
