// Open MPI's own nonblocking collectives go on in functions that its progress calls
// (opal/runtime/opal_progress.h, exported from version 1.0 on): so may those of others. A function
// that is called there may start and test messages.
//
// MPICH has nothing of the kind before version 4.3. Where it was built for UCX it calls
// ucp_worker_progress (ucp/api/ucp.h) wherever it waits, on one host, too, in the middle of nothing
// else; a preloaded Tutti is called in its place (run/interpose/ucx.cpp). With several threads, and
// in programs of sessions, it holds a lock meanwhile, so that nothing of MPI may be called there:
// MPICH 4.2 ends programs for it.

#include "run/mpi/library_progress.hpp"

#include "run/mpi/loaded_objects.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/threads.hpp"

namespace tutti::run {
namespace {

constexpr const char* registering = "opal_progress_register";

// What the library's function of that name, if there is one, says of a function of ours.
bool told(const char* name, Drive drive) {
  using Tell = int (*)(Drive);
  const auto tell = reinterpret_cast<Tell>(native_function(name));
  return tell && tell(drive) == 0;
}

bool has_registration() {
  return native_function(registering) != nullptr;
}

bool has_ucx() {
  return loaded_library({"libucp.so.0"}) != nullptr;
}

// A look for messages of others, which the library has to make by UCX where it has that.
bool looks_by_ucx() {
  if (several_threads_call() || !has_ucx()) return false;
  if (int there = 0; !ucx_progress.is_seen && !world::is_of_sessions)
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  return ucx_progress.is_seen;
}

}  // namespace

bool called_by_library(Drive drive) {
  if (has_registration()) return told(registering, drive);
  if (!looks_by_ucx()) return false;
  ucx_progress.drive = drive;
  return true;
}

bool may_be_called_by_library() {
  return has_registration() || looks_by_ucx();
}

bool may_come_to_be_called() {
  return has_registration() || has_ucx();
}

bool may_wait_for_launcher() {
  return has_registration();
}

void not_called_by_library(Drive drive) {
  told("opal_progress_unregister", drive);
  ucx_progress.drive = nullptr;
}

}  // namespace tutti::run
