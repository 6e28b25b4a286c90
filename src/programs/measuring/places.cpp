#include "programs/measuring/places.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "run/mpi/hosts.hpp"
#include "run/mpi/native.hpp"

namespace tutti::run {
namespace {

constexpr std::size_t longest_address = 1024;

struct Place {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  std::array<char, longest_address> address{};
};

// What is too long is left out.
template <std::size_t size>
void put(const std::string& text, std::array<char, size>& into) {
  if (text.size() < size) std::ranges::copy(text, into.begin());
}

Place place_here() {
  Place here;
  put(host_name(), here.name);
  put(slurm_address(), here.address);
  return here;
}

}  // namespace

protocol::Places places_of(const Hosts& hosts) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Place here = place_here();
  protocol::Places places;
  for (int host = 0; host < count(hosts); ++host) {
    const auto first = static_cast<Rank>(std::ranges::find(hosts, host) - hosts.begin());
    Place place = here;
    if (rank == first && rank != 0) PMPI_Send(&place, sizeof place, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    if (rank == 0 && first != 0)
      PMPI_Recv(&place, sizeof place, MPI_BYTE, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    places.names.emplace_back(place.name.data());
    places.addresses.emplace_back(place.address.data());
  }
  return places;
}

}  // namespace tutti::run
