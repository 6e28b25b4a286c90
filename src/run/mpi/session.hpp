#pragma once

#include <mpi.h>

#include <optional>
#include <type_traits>

namespace tutti::run {

/// A session's handle: as wide as all handles of the MPI are, whose header may be older than
/// sessions.
using Session = std::conditional_t<std::is_pointer_v<MPI_Comm>, void*, int>;

/// What MPI has had for sessions since version 4, of the library that runs; all null where it has
/// none.
struct SessionFunctions {
  int (*init)(MPI_Info, MPI_Errhandler, Session*);
  int (*finalize)(Session*);
  int (*get_info)(Session, MPI_Info*);
  int (*group)(Session, const char* process_set, MPI_Group*);
  int (*communicator)(MPI_Group, const char* tag, MPI_Info, MPI_Errhandler, MPI_Comm*);
};
const SessionFunctions& session_functions();

/// The thread level that an info of a session names, or one that the program begins it with.
std::optional<int> thread_level_in(MPI_Info info);
/// The thread level that a session has got; nothing where the MPI library does not say.
std::optional<int> thread_level_of(Session session);

}  // namespace tutti::run
