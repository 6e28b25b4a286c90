// A profiling tool of the usual kind, to stand in front of Tutti: it counts the calls of
// MPI_Allreduce, in C and Fortran, and hands them on by the PMPI name.

#include <mpi.h>

#include <cstdio>

namespace {

int calls = 0;

__attribute__((destructor)) void tell() {
  if (calls > 0) std::printf("tool: saw calls\n");
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int MPI_Allreduce(const void* in, void* out, int count,
                                                         MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++calls;
  return PMPI_Allreduce(in, out, count, type, op, comm);
}

void pmpi_allreduce_(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
__attribute__((visibility("default"))) void mpi_allreduce_(void* in, void* out, MPI_Fint* count,
                                                           MPI_Fint* type, MPI_Fint* op, MPI_Fint* comm,
                                                           MPI_Fint* error) {
  ++calls;
  pmpi_allreduce_(in, out, count, type, op, comm, error);
}

}  // extern "C"
