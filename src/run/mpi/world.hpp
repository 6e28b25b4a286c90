#pragma once

#include <mpi.h>

/// The processes of the job: those of MPI_COMM_WORLD; or, in a program that has sessions only,
/// those of the process set mpi://WORLD, as a session of ours has them.
namespace tutti::run::world {

/// Whether the program has sessions only: it may use neither MPI_COMM_WORLD nor MPI_COMM_SELF.
inline constinit bool is_of_sessions = false;

/// Whether MPI_COMM_WORLD is there: between MPI_Init and MPI_Finalize.
bool has_communicator();

/// Opens a session of ours beside the program's, which may end before calls that need one do. False
/// where the MPI library can't. It is closed when nothing is left that was made in it.
/// @{
bool open_session();
void close_session();
/// @}

/// Whether a process can combine values by itself (MPI_Reduce_local): Open MPI up to 5 crashes in
/// it where there is no MPI_COMM_WORLD.
bool combines_alone();

/// The group of all processes, which the caller frees.
MPI_Group group();

/// A communicator that tells what holds for all of them: MPI_COMM_WORLD, or that of a session's
/// process alone.
MPI_Comm any_communicator();

/// Whether several threads may call where the program's sessions have begun: not every MPI library
/// tells.
struct SeveralThreads {
  bool perhaps = false, surely = false;
};
inline constinit SeveralThreads threads_of_sessions;

}  // namespace tutti::run::world
