// The native collectives of programs that Tutti is part of: the PMPI entry points, which nothing here
// replaces.

#include "run/mpi/native.hpp"

namespace tutti::run {

const NativeCollectives& native() {
#define TUTTI_ENTRY(name, mpi_name) PMPI_##mpi_name,
  static constexpr NativeCollectives direct{TUTTI_NATIVE_COLLECTIVES TUTTI_ENTRY(finalize, Finalize)};
#undef TUTTI_ENTRY
  return direct;
}

}  // namespace tutti::run
