#include "run/mpi/hosts.hpp"

#include <string_view>
#include <unordered_map>

namespace tutti::run {

std::uint64_t host_id() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Get_processor_name(name, &length);
  return std::hash<std::string_view>{}({name, static_cast<std::size_t>(length)});
}

std::vector<int> hosts_from(const std::vector<std::uint64_t>& ids) {
  std::unordered_map<std::uint64_t, int> numbers;
  std::vector<int> hosts;
  for (const std::uint64_t id : ids)
    hosts.push_back(numbers.try_emplace(id, static_cast<int>(numbers.size())).first->second);
  return hosts;
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
