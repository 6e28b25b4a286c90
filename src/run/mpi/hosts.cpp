#include "run/mpi/hosts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "choose/evidence/local_place.hpp"
#include "core/schedule/by_place.hpp"
#include "core/schedule/fnv1a.hpp"
#include "run/mpi/native.hpp"
#include "run/mpi/ranks.hpp"

namespace tutti::run {

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  return {name, static_cast<std::size_t>(length)};
}

std::string slurm_address() {
  const char* const told = std::getenv("SLURM_TOPOLOGY_ADDR");
  return told ? told : "";
}

std::uint64_t host_id() {
  return fnv1a(host_name());
}

std::vector<std::uint64_t> groups_here(const std::optional<Whereabouts>& in_file, bool slurm_may_tell) {
  std::vector<std::string> names;
  if (in_file)
    names = groups_of_host(*in_file, host_name());
  else if (slurm_may_tell)
    names = switches_in_address(slurm_address(), host_name());
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : names)
    if (numbers.size() < most_levels_of_groups) numbers.push_back(fnv1a(name));
  return numbers;
}

std::vector<std::vector<std::uint64_t>> groups_of_ranks(MPI_Comm comm,
                                                        const std::vector<std::uint64_t>& mine) {
  using Groups = std::array<std::uint64_t, most_levels_of_groups>;  // 0 behind the last
  Groups own{};
  std::ranges::copy(mine, own.begin());
  std::vector<Groups> all(static_cast<std::size_t>(ranks_of(comm)));
  native().MPI_Gather(own.data(), sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, comm);
  native().MPI_Bcast(all.data(), static_cast<int>(all.size() * sizeof own), MPI_BYTE, 0, comm);
  std::vector<std::vector<std::uint64_t>> by_rank;
  for (const Groups& groups : all)
    by_rank.emplace_back(groups.begin(), std::ranges::find(groups, std::uint64_t{0}));
  return by_rank;
}

#ifdef TUTTI_SIMULATED
// All processes are of this host, not of those that are simulated.
ByHostPart<std::uint64_t> ids_in_host() {
  return {};
}
#else
ByHostPart<std::uint64_t> ids_in_host() {
  const auto places = local_places(own_processors());
  ByHostPart<std::uint64_t> ids;
  for (const HostPartWords& each : host_parts)
    ids[each.part] = static_cast<std::uint64_t>(places[each.part].value_or(-1) + 1);
  return ids;
}
#endif

std::vector<int> hosts_from(const std::vector<std::uint64_t>& ids) {
  return numbered(ids);
}

std::vector<int> hosts_of(MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  const std::uint64_t mine = host_id();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  native().MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
  return hosts_from(all);
}

}  // namespace tutti::run
