#include "run/mpi/errors_returned.hpp"

#include <mutex>
#include <optional>

#include "run/mpi/library_text.hpp"
#include "run/mpi/world.hpp"

namespace tutti::run {
namespace {

// What all threads share.
struct ReturnedToNobody {
  std::mutex mutex;
  int holders = 0;
  std::optional<ErrorsReturned> in_world, in_self;
};
ReturnedToNobody& returned_to_nobody() {
  static auto* const all = new ReturnedToNobody;  // calls may come when statics are gone
  return *all;
}

}  // namespace

MPI_Comm handles_nobodys_errors() {
  if (is_open_mpi()) return MPI_COMM_WORLD;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_SELF, &handler);
  const bool is_default = handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRHANDLER_NULL;
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  return is_default ? MPI_COMM_WORLD : MPI_COMM_SELF;
}

bool self_needs_handler() {
  return is_open_mpi() || handles_nobodys_errors() == MPI_COMM_SELF;
}

NobodysErrorsReturned::NobodysErrorsReturned() {
  ReturnedToNobody& all = returned_to_nobody();
  const std::lock_guard lock(all.mutex);
  if (all.holders++ > 0 || world::is_of_sessions) return;
  all.in_world.emplace(MPI_COMM_WORLD);
  if (self_needs_handler()) all.in_self.emplace(MPI_COMM_SELF);
}

NobodysErrorsReturned::~NobodysErrorsReturned() {
  ReturnedToNobody& all = returned_to_nobody();
  const std::lock_guard lock(all.mutex);
  if (--all.holders > 0) return;
  all.in_self.reset();
  all.in_world.reset();
}

}  // namespace tutti::run
