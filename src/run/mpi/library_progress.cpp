// Open MPI's own nonblocking collectives go on in functions that its progress calls
// (opal/runtime/opal_progress.h, exported from version 1.0 on): so may those of others. A function
// that is called there may start and test messages.

#include "run/mpi/library_progress.hpp"

#include "run/mpi/native.hpp"

namespace tutti::run {
namespace {

constexpr const char* registering = "opal_progress_register";

// What the library's function of that name, if there is one, says of a function of ours.
bool told(const char* name, int (*drive)()) {
  using Tell = int (*)(int (*)());
  const auto tell = reinterpret_cast<Tell>(native_function(name));
  return tell && tell(drive) == 0;
}

}  // namespace

bool called_by_library(int (*drive)()) {
  return told(registering, drive);
}

bool may_be_called_by_library() {
  return native_function(registering) != nullptr;
}

void not_called_by_library(int (*drive)()) {
  told("opal_progress_unregister", drive);
}

}  // namespace tutti::run
