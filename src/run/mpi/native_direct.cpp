// The native collectives of programs that Tutti is part of: the PMPI entry points, which nothing
// here replaces.

#include "run/mpi/native.hpp"

namespace tutti::run {

const NativeCollectives& native() {
#define TUTTI_ENTRY(collective, mode, large, mpi_name, arguments) P##mpi_name,
  static constexpr NativeCollectives direct{TUTTI_NATIVE_COLLECTIVES};
#undef TUTTI_ENTRY
  return direct;
}

}  // namespace tutti::run
