#include "runtime/hosts.hpp"

#include <algorithm>
#include <string_view>

namespace tutti::runtime {

std::uint64_t host_id() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  return std::hash<std::string_view>{}({name, static_cast<std::size_t>(length)});
}

int count_distinct(std::vector<std::uint64_t> hosts) {
  std::sort(hosts.begin(), hosts.end());
  return static_cast<int>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
}

int count_hosts(MPI_Comm comm) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  const std::uint64_t mine = host_id();
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  native().allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm);
  return count_distinct(std::move(all));
}

}  // namespace tutti::runtime
