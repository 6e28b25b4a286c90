// The functions of the MPI behind this library, which is linked with none: each is found when it is
// first called. The linker gives those of these names to whatever calls PMPI's functions (--wrap).

#include "run/mpi/found_functions.hpp"
#include "run/mpi/loaded_mpi.hpp"

#define TUTTI_MPI(result, name, arguments, parameters) \
  TUTTI_PASSES_ON(result, name, arguments, "__wrap_PMPI_" #name, "PMPI_" #name, tutti::run::next_function)
#include "run/mpi/standard_abi/prototypes.inc"
