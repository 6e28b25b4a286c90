/* Makes an MPI library one that has few tags, as MPI allows: as many as TAGS says. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  static int highest;
  int (*own)(MPI_Comm, int, void*, int*);
  int error;
  *(void**)&own = dlsym(RTLD_NEXT, "PMPI_Comm_get_attr");
  error = own(comm, key, value, found);
  if (error != MPI_SUCCESS || key != MPI_TAG_UB || !*found) return error;
  if (highest == 0) fprintf(stderr, "few tags: at most %s\n", getenv("TAGS"));
  highest = atoi(getenv("TAGS"));
  *(int**)value = &highest;
  return error;
}
