// Stands in for an MPI library whose communicators have the info key mpi_memory_alloc_kinds of MPI
// 4.1, with the value of STAND_IN_KINDS.

#include <mpi.h>

#include <cstdlib>

extern "C" int PMPI_Comm_get_info(MPI_Comm, MPI_Info* info) {
  PMPI_Info_create(info);
  return PMPI_Info_set(*info, "mpi_memory_alloc_kinds", std::getenv("STAND_IN_KINDS"));
}
