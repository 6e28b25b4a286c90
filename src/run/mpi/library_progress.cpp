// Open MPI's own nonblocking collectives go on in functions that its progress calls
// (opal/runtime/opal_progress.h, exported from version 1.0 on): so may those of others. A function
// that is called there may start and test messages.

#include "run/mpi/library_progress.hpp"

#include "run/mpi/native.hpp"

namespace tutti::run {

bool called_by_library(int (*drive)()) {
  using Register = int (*)(int (*)());
  const auto add = reinterpret_cast<Register>(native_function("opal_progress_register"));
  return add && add(drive) == 0;
}

}  // namespace tutti::run
