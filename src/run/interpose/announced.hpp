#pragma once

#include "choose/settings/configuration.hpp"
#include "run/mpi/presence.hpp"

namespace tutti::interpose {

/// What this rank says to the others in MPI_Init.
inline run::Announced announced() {
  return names_nonblocking_plans() ? run::Announced::meeting : run::Announced::presence;
}

}  // namespace tutti::interpose
