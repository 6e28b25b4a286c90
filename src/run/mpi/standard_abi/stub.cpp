// A library of the standard ABI's name that has all its functions and does nothing: what programs
// are linked with, to find an MPI when they run.

#define TUTTI_MPI(result, name, arguments, parameters) \
  extern "C" int MPI_##name() {                        \
    return -1;                                         \
  }                                                    \
  extern "C" int PMPI_##name() {                       \
    return -1;                                         \
  }
#include "run/mpi/standard_abi/prototypes.inc"
