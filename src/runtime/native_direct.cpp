// The native collectives of programs that Tutti is part of: the PMPI entry points, which nothing here
// replaces.

#include "runtime/mpi.hpp"

namespace tutti::runtime {

const NativeCollectives& native() {
  static constexpr NativeCollectives direct{PMPI_Bcast, PMPI_Allgather, PMPI_Allreduce, PMPI_Finalize};
  return direct;
}

}  // namespace tutti::runtime
