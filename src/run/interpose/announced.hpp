#pragma once

#include <mpi.h>

#include "choose/settings/configuration.hpp"
#include "run/mpi/launcher.hpp"
#include "run/mpi/library_progress.hpp"
#include "run/mpi/presence.hpp"

namespace tutti::interpose {

/// The level of threads that the program asks for in MPI_Init_thread.
inline constinit int wanted_threads = MPI_THREAD_SINGLE;

/// What this rank says to the others in MPI_Init; rank 0's word counts, and it alone looks at
/// files. Calls that return at once can't be learnt of where several threads call, nor where the
/// MPI library will not drive them on.
inline run::Announced announced() {
  const auto learns = [] {
    return asks_to_learn() && wanted_threads != MPI_THREAD_MULTIPLE && run::may_come_to_be_called();
  };
  const bool meets = run::launcher::rank().value_or(0) == 0 && (names_nonblocking_plans() || learns());
  return meets ? run::Announced::meeting : run::Announced::presence;
}

}  // namespace tutti::interpose
