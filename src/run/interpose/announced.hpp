#pragma once

#include <limits>
#include <optional>

#include "choose/evidence/fingerprint.hpp"
#include "choose/settings/configuration.hpp"
#include "run/mpi/launcher.hpp"
#include "run/mpi/library_text.hpp"
#include "run/mpi/library_version.hpp"
#include "run/mpi/presence.hpp"
#include "run/process/known_nonblocking.hpp"

namespace tutti::interpose {

/// What this rank says to the others in MPI_Init, of a job of so many ranks, if that is known; rank
/// 0's word counts, and it alone looks at files.
inline run::Announced announced(std::optional<int> ranks) {
  const auto is_known = [&] {
    const Fingerprint here{.mpi = run::library_version(run::library_text()), .machine = local_machine()};
    return run::find_nonblocking({here, ranks.value_or(std::numeric_limits<int>::max())}) !=
           KnownNonblocking::none;
  };
  const bool meets = run::launcher::rank().value_or(0) == 0 && (names_nonblocking_plans() || is_known());
  return meets ? run::Announced::meeting : run::Announced::presence;
}

}  // namespace tutti::interpose
