#include "run/mpi/errors_returned.hpp"

#include "run/mpi/library_text.hpp"

namespace tutti::run {

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

}  // namespace tutti::run
