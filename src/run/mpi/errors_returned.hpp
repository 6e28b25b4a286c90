#pragma once

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// While it lives, errors on a communicator are returned instead of handled the user's way;
/// on MPI_COMM_NULL none come.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm comm) : comm_(comm) {
    if (comm_ == MPI_COMM_NULL) return;
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

/// The communicator whose handler is called for an error of a call that names none, such as
/// MPI_Waitall: MPI_COMM_SELF where the program has given it a handler, else MPI_COMM_WORLD.
MPI_Comm handles_nobodys_errors();

/// Whether MPI_COMM_SELF's handler has to be set for such errors to be returned. MPICH from 4.2 on
/// takes that of MPI_COMM_WORLD until MPI_COMM_SELF is given one, be it the default: there is no
/// way back.
bool self_needs_handler();

/// While it lives, errors of calls that name no communicator are returned; in a program of
/// sessions, which has neither, they are the MPI library's affair. Leaves no trace: where several
/// threads have one the last to go gives the user's handlers back.
class NobodysErrorsReturned {
 public:
  NobodysErrorsReturned();
  NobodysErrorsReturned(const NobodysErrorsReturned&) = delete;
  NobodysErrorsReturned& operator=(const NobodysErrorsReturned&) = delete;
  ~NobodysErrorsReturned();
};

}  // namespace tutti::run
