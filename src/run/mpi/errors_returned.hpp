#pragma once

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// While it lives, errors on a communicator are returned instead of handled the user's way.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &users_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;
  ~ErrorsReturned() {
    if (users_ == MPI_ERRHANDLER_NULL) return;  // a library that has none by default
    PMPI_Comm_set_errhandler(comm_, users_);
    PMPI_Errhandler_free(&users_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler users_ = MPI_ERRHANDLER_NULL;
};

}  // namespace tutti::run
