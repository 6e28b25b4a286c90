#include "run/mpi/world.hpp"

#include "run/mpi/library_text.hpp"
#include "run/mpi/session.hpp"

namespace tutti::run {
namespace {

Session own_session{};
MPI_Comm own_process = MPI_COMM_NULL;

MPI_Group process_set(const char* name) {
  MPI_Group group = MPI_GROUP_NULL;
  session_functions().group(own_session, name, &group);
  return group;
}

}  // namespace

bool world::has_communicator() {
  int initialized = 0, finalized = 0;
  PMPI_Initialized(&initialized);
  PMPI_Finalized(&finalized);
  return initialized && !finalized;
}

bool world::open_session() {
  const SessionFunctions& mpi = session_functions();
  if (!mpi.init || mpi.init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session) != MPI_SUCCESS) return false;
  MPI_Group group = process_set("mpi://SELF");
  const bool made =
      group != MPI_GROUP_NULL &&
      mpi.communicator(group, "tutti", MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_process) == MPI_SUCCESS;
  if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  if (!made) mpi.finalize(&own_session);
  return is_of_sessions = made;
}

void world::close_session() {
  PMPI_Comm_free(&own_process);
  session_functions().finalize(&own_session);
  is_of_sessions = false;
}

bool world::combines_alone() {
  return !is_of_sessions || !is_open_mpi();
}

MPI_Group world::group() {
  if (is_of_sessions) return process_set("mpi://WORLD");
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &group);
  return group;
}

MPI_Comm world::any_communicator() {
  return is_of_sessions ? own_process : MPI_COMM_WORLD;
}

}  // namespace tutti::run
