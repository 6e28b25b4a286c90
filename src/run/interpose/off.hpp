#pragma once

#include <cstring>

#include "choose/settings/variables.hpp"
#include "run/mpi/presence.hpp"

namespace tutti::interpose {

/// Whether the user has switched Tutti off, as can be told before MPI begins.
inline bool is_off() {
  const char* off = in_environment(variable::off);
  return off && std::strcmp(off, "1") == 0;
}

/// What this rank says to the others in MPI_Init.
inline run::Announced announced() {
  return names_nonblocking_plans() ? run::Announced::meeting : run::Announced::presence;
}

}  // namespace tutti::interpose
