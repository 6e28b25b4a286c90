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

namespace {

// The groups that one rank is in, with 0 behind the last.
using Groups = std::array<std::uint64_t, most_levels_of_groups>;

Groups packed(const std::vector<std::uint64_t>& groups) {
  Groups all{};
  std::ranges::copy_n(groups.begin(), static_cast<std::ptrdiff_t>(std::min(groups.size(), all.size())),
                      all.begin());
  return all;
}

// Hands the groups of all ranks on as rank 0 has them.
std::vector<std::vector<std::uint64_t>> handed_on(std::vector<Groups> all, MPI_Comm comm) {
  native().MPI_Bcast(all.data(), static_cast<int>(all.size() * sizeof(Groups)), MPI_BYTE, 0, comm);
  std::vector<std::vector<std::uint64_t>> by_rank;
  for (const Groups& groups : all)
    by_rank.emplace_back(groups.begin(), std::ranges::find(groups, std::uint64_t{0}));
  return by_rank;
}

}  // namespace

std::vector<std::vector<std::uint64_t>> groups_of_ranks(MPI_Comm comm,
                                                        const std::vector<std::uint64_t>& mine) {
  const Groups own = packed(mine);
  std::vector<Groups> all(static_cast<std::size_t>(ranks_of(comm)));
  native().MPI_Gather(own.data(), sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, comm);
  return handed_on(std::move(all), comm);
}

std::vector<std::vector<std::uint64_t>> groups_by_root(MPI_Comm comm,
                                                       const std::vector<std::vector<std::uint64_t>>& all) {
  std::vector<Groups> by_rank(static_cast<std::size_t>(ranks_of(comm)));
  std::ranges::transform(all, by_rank.begin(), packed);
  return handed_on(std::move(by_rank), comm);
}

std::vector<std::string> host_names_on_root(MPI_Comm comm) {
  using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
  Name own{};
  std::ranges::copy(host_name(), own.begin());
  std::vector<Name> all(rank_in(comm) == 0 ? static_cast<std::size_t>(ranks_of(comm)) : 0);
  native().MPI_Gather(own.data(), sizeof own, MPI_CHAR, all.data(), sizeof own, MPI_CHAR, 0, comm);
  std::vector<std::string> names;
  for (const Name& name : all) names.emplace_back(name.begin(), std::ranges::find(name, char{0}));
  return names;
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
