#pragma once

#include <optional>

/// What the launcher told this process, in variables of the environment, before MPI begins.
/// Launchers have different ones, and a process that was started by hand has none.
namespace tutti::run::launcher {

/// The rank in MPI_COMM_WORLD.
std::optional<int> rank();

/// Ranks of the job, of Open MPI.
std::optional<int> ranks();

/// Ranks of the job on this host.
std::optional<int> ranks_of_host();

/// Whether the job runs on several hosts, as far as told.
bool has_several_hosts();

}  // namespace tutti::run::launcher
