#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "choose/evidence/whereabouts.hpp"
#include "core/schedule/host_parts.hpp"
#include "run/mpi/handles.hpp"

namespace tutti::run {

/// Levels of groups that ranks tell each other, at most; what is further within counts as one.
inline constexpr std::size_t most_levels_of_groups = 6;

/// The name of the host this process runs on, simulated ones included.
std::string host_name();

/// Where Slurm says that this process's host is, SLURM_TOPOLOGY_ADDR; empty where it says nothing.
std::string slurm_address();

/// A number for the host this process runs on, the same on all its processes: fnv1a of its name.
std::uint64_t host_id();

/// Numbers for the parts of its host that this process is bound to; 0: to none, or not known.
ByHostPart<std::uint64_t> ids_in_host();

/// Numbers for the groups that this process's host is in, the outermost first, at most
/// most_levels_of_groups: by what a file says, if there is one, or else, if `slurm_may_tell`, as
/// Slurm tells its processes. Empty where nobody tells.
std::vector<std::uint64_t> groups_here(const std::optional<Whereabouts>& in_file, bool slurm_may_tell);

/// Hosts by rank, numbered from 0 on in the order of their first ranks, from any numbers by rank.
std::vector<int> hosts_from(const std::vector<std::uint64_t>& ids);

/// The groups of all ranks, by rank, from groups_here of each; collective.
std::vector<std::vector<std::uint64_t>> groups_of_ranks(MPI_Comm comm,
                                                        const std::vector<std::uint64_t>& mine);

/// The groups of all ranks, by rank and no more than most_levels_of_groups each, as rank 0 says,
/// whose `all` counts; collective.
std::vector<std::vector<std::uint64_t>> groups_by_root(MPI_Comm comm,
                                                       const std::vector<std::vector<std::uint64_t>>& all);

/// The names of the hosts of all ranks on rank 0, nothing elsewhere; collective.
std::vector<std::string> host_names_on_root(MPI_Comm comm);

/// Hosts of the ranks of a communicator, so numbered; collective.
std::vector<int> hosts_of(MPI_Comm comm);

}  // namespace tutti::run
