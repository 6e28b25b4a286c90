#include "runtime/quick_probe.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "mpi/native.hpp"

namespace tutti::runtime {
namespace {

constexpr double budget_s = 0.025;  // for each of the two
constexpr std::array sizes{1, 256, 2048, 8192, 32768, 131072};
constexpr int most_repetitions = 8;

// Half a round trip at ascending sizes, the best of some; rank 0 says when there is no time for more.
Curve ping_pong(MPI_Comm comm, Rank me, Rank partner) {
  constexpr int tag = 0;
  const Rank other = me == 0 ? partner : 0;
  std::vector<char> memory(static_cast<std::size_t>(sizes.back()));
  std::vector<Curve::Point> points;
  const double begin = PMPI_Wtime();
  const auto send = [&](int bytes) { PMPI_Send(memory.data(), bytes, MPI_BYTE, other, tag, comm); };
  const auto receive = [&](int bytes) {
    PMPI_Recv(memory.data(), bytes, MPI_BYTE, other, tag, comm, MPI_STATUS_IGNORE);
  };
  for (const int bytes : sizes) {
    double least = 0;
    for (int repetition = 0; repetition <= most_repetitions; ++repetition) {
      const double start = PMPI_Wtime();
      int more = start - begin < budget_s;
      if (me == 0) {
        PMPI_Send(&more, 1, MPI_INT, partner, tag, comm);
      } else {
        PMPI_Recv(&more, 1, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE);
      }
      if (!more) break;
      const double sent = PMPI_Wtime();
      if (me == 0)
        send(bytes), receive(bytes);
      else
        receive(bytes), send(bytes);
      const double seconds = (PMPI_Wtime() - sent) / 2;
      // The first one makes connections.
      if (repetition > 0) least = repetition == 1 ? seconds : std::min(least, seconds);
    }
    if (least > 0) points.push_back({static_cast<double>(bytes), least});
  }
  return Curve(std::move(points));
}

// As if a message kept its port busy all its time: too much for a few long ones, and what many short ones
// cost the processors.
Link link_of(const Curve& time) {
  return {.time = time, .gap = time, .send = {}, .receive = {}};
}

}  // namespace

Network probe_quickly(MPI_Comm comm, Rank me, const Hosts& hosts) {
  const auto first = [&](bool same) {
    const auto found = std::find_if(hosts.begin() + 1, hosts.end(),
                                    [&](int host) { return (host == hosts.front()) == same; });
    return found == hosts.end() ? std::nullopt : std::optional(static_cast<Rank>(found - hosts.begin()));
  };
  Network network;
  for (const bool same : {true, false}) {
    const auto partner = first(same);
    if (!partner || (me != 0 && me != *partner)) continue;
    const Curve time = ping_pong(comm, me, *partner);
    if (!time.points().empty()) network.links.push_back(link_of(time));
  }
  if (network.links.size() == 2)
    network.hosts = {0, 0, 1};
  else
    network.hosts = first(true) ? Hosts{0, 0} : Hosts{0, 1};
  return network;
}

}  // namespace tutti::runtime
