#pragma once

#include "choose/evidence/fingerprint.hpp"
#include "choose/settings/configuration.hpp"
#include "run/mpi/presence.hpp"

namespace tutti::interpose {

/// What this rank says to the others in MPI_Init.
inline run::Announced announced() {
  return names_nonblocking_plans() || learns_of_nonblocking(local_machine()) ? run::Announced::meeting
                                                                             : run::Announced::presence;
}

}  // namespace tutti::interpose
