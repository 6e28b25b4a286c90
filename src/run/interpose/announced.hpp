#pragma once

#include "choose/evidence/fingerprint.hpp"
#include "choose/settings/configuration.hpp"
#include "run/mpi/launcher.hpp"
#include "run/mpi/presence.hpp"
#include "run/process/known_nonblocking.hpp"

namespace tutti::interpose {

/// What this rank says to the others in MPI_Init; rank 0's word counts, and it alone looks at
/// files.
inline run::Announced announced() {
  const bool meets = run::launcher::rank().value_or(0) == 0 &&
                     (names_nonblocking_plans() || run::find_nonblocking(local_machine()));
  return meets ? run::Announced::meeting : run::Announced::presence;
}

}  // namespace tutti::interpose
