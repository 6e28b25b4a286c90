#include "run/mpi/self_comm.hpp"

namespace tutti::run {

MPI_Comm self_comm::get() {
  if (world::is_of_sessions) return world::any_communicator();
  static const MPI_Comm comm = [] {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    PMPI_Comm_group(MPI_COMM_SELF, &group);
    PMPI_Comm_create(MPI_COMM_SELF, group, &made);
    PMPI_Group_free(&group);
    if (made != MPI_COMM_NULL) PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
  }();
  return comm;
}

}  // namespace tutti::run
