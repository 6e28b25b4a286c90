#include "runtime/quick_probe.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "mpi/native.hpp"
#include "runtime/communicator.hpp"

namespace tutti::runtime {
namespace {

constexpr double budget_s = 0.02;  // for each kind of pairs
constexpr std::array sizes{1, 256, 2048, 8192, 32768, 131072};
constexpr int most_repetitions = 8;

// What a pair measured: half a round trip by size, the best of some; zero where there was no time.
using Times = std::array<double, sizes.size()>;

// The lower of the two ranks says when there is no time for more. Through `memory` if it is not null.
Times ping_pong(MPI_Comm comm, Rank me, Rank partner, HostMemory* through) {
  constexpr int tag = 0;
  std::vector<char> memory(static_cast<std::size_t>(sizes.back()));
  const int channel = through ? through->channel(partner) : HostMemory::none;
  Times times{};
  const double begin = PMPI_Wtime();
  const auto send = [&](int bytes) {
    if (through) return through->send(channel, memory.data(), static_cast<std::size_t>(bytes), comm);
    return PMPI_Send(memory.data(), bytes, MPI_BYTE, partner, tag, comm);
  };
  const auto receive = [&](int bytes) {
    if (through) return through->receive(channel, memory.data(), static_cast<std::size_t>(bytes), comm);
    return PMPI_Recv(memory.data(), bytes, MPI_BYTE, partner, tag, comm, MPI_STATUS_IGNORE);
  };
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (int repetition = 0; repetition <= most_repetitions; ++repetition) {
      int more = PMPI_Wtime() - begin < budget_s;
      if (me < partner)
        PMPI_Send(&more, 1, MPI_INT, partner, tag, comm);
      else
        PMPI_Recv(&more, 1, MPI_INT, partner, tag, comm, MPI_STATUS_IGNORE);
      if (!more) return times;
      const double sent = PMPI_Wtime();
      if (me < partner)
        send(sizes[i]), receive(sizes[i]);
      else
        receive(sizes[i]), send(sizes[i]);
      const double seconds = (PMPI_Wtime() - sent) / 2;
      // The first one makes connections.
      if (repetition > 0) times[i] = repetition == 1 ? seconds : std::min(times[i], seconds);
    }
  return times;
}

// Who exchanges messages with a rank: neighbours on a host, or the first ranks of neighbouring hosts; or
// nobody.
std::optional<Rank> partner_of(Rank me, const Hosts& hosts, bool on_one_host) {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < static_cast<Rank>(hosts.size()); ++rank) {
    const int host = hosts[static_cast<std::size_t>(rank)];
    const bool first =
        std::none_of(hosts.begin(), hosts.begin() + rank, [&](int other) { return other == host; });
    if (on_one_host ? host == hosts[static_cast<std::size_t>(me)] : first) ranks.push_back(rank);
  }
  const auto found = std::find(ranks.begin(), ranks.end(), me);
  if (found == ranks.end()) return std::nullopt;
  const auto number = static_cast<std::size_t>(found - ranks.begin()), other = number ^ 1;
  return other < ranks.size() ? std::optional(ranks[other]) : std::nullopt;
}

// All pairs at once, for in a collective all ranks are busy; the mean of those that came to a size.
Curve all_at_once(MPI_Comm comm, Rank me, std::optional<Rank> partner, bool in_memory, HostMemory* memory) {
  if (in_memory && partner && (!memory || memory->channel(*partner) == HostMemory::none)) partner.reset();
  std::array<double, 2 * sizes.size()> mine{}, all{};
  if (partner) {
    const Times times = ping_pong(comm, me, *partner, in_memory ? memory : nullptr);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      mine[2 * i] = times[i];
      mine[2 * i + 1] = times[i] > 0;
    }
  }
  native().reduce(mine.data(), all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM, 0, comm);
  std::vector<Curve::Point> points;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (all[2 * i + 1] > 0) points.push_back({static_cast<double>(sizes[i]), all[2 * i] / all[2 * i + 1]});
  return Curve(std::move(points));
}

// As if a message kept its port busy all its time: too much for a few long ones, and what many short ones
// cost the processors.
Link link_of(const Curve& time) {
  return {.time = time, .gap = time, .send = {}, .receive = {}};
}

}  // namespace

Network probe_quickly(MPI_Comm comm, Rank me, const Hosts& hosts, HostMemory* memory) {
  Network network;
  bool several_a_host = false;
  for (const bool on_one_host : {true, false}) {
    if (!partner_of(0, hosts, on_one_host)) continue;
    several_a_host |= on_one_host;
    const auto partner = partner_of(me, hosts, on_one_host);
    const Curve time = all_at_once(comm, me, partner, false, memory);
    if (me == 0 && !time.points().empty()) network.links.push_back(link_of(time));
    if (!on_one_host || !may_share_memory) continue;
    const Curve through_memory = all_at_once(comm, me, partner, true, memory);
    if (me == 0 && !through_memory.points().empty()) network.memory = link_of(through_memory);
  }
  if (network.links.size() == 2)
    network.hosts = {0, 0, 1};
  else
    network.hosts = several_a_host ? Hosts{0, 0} : Hosts{0, 1};
  return network;
}

}  // namespace tutti::runtime
