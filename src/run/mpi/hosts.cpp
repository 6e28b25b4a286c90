#include "run/mpi/hosts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "choose/evidence/local_place.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::run {

std::uint64_t host_id() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  return std::hash<std::string_view>{}({name, static_cast<std::size_t>(length)});
}

#ifdef TUTTI_SIMULATED
// All processes are of this host, not of those that are simulated.
std::uint64_t socket_id() {
  return 0;
}
#else
std::uint64_t socket_id() {
  return static_cast<std::uint64_t>(local_socket(own_processors()).value_or(-1) + 1);
}
#endif

std::vector<int> hosts_from(const std::vector<std::uint64_t>& ids) {
  return numbered(ids);
}

std::vector<int> sockets_from(const std::vector<int>& hosts, const std::vector<std::uint64_t>& ids) {
  if (std::ranges::find(ids, std::uint64_t{0}) != ids.end()) return {};
  std::vector<std::pair<int, std::uint64_t>> of_hosts;
  for (std::size_t rank = 0; rank < ids.size(); ++rank) of_hosts.emplace_back(hosts[rank], ids[rank]);
  return numbered(of_hosts);
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
