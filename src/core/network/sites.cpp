#include "core/network/sites.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/network/group_members.hpp"
#include "core/network/groups.hpp"
#include "core/network/parts_apart.hpp"

namespace tutti::inline core {
namespace {

// What has to come into a site, and what of it has to go out, in bytes.
struct Volume {
  double in = 0, out = 0;
};

// Nothing of collectives of which nothing is known.
std::optional<Volume> crossing_volume(Collective collective, double size, double ranks, double mine,
                                      bool has_root) {
  const double others = ranks - mine;
  switch (traits(collective).regular) {
    case Collective::bcast:
      return {{has_root ? 0 : size, has_root ? size : 0}};
    case Collective::reduce:
      return {{has_root ? size : 0, has_root ? 0 : size}};
    case Collective::allreduce:
      return {{size, size}};
    case Collective::scatter:
      return {{has_root ? 0 : mine * size, has_root ? others * size : 0}};
    case Collective::gather:
      return {{has_root ? others * size : 0, has_root ? 0 : mine * size}};
    case Collective::allgather:
      return {{others * size, mine * size}};
    case Collective::alltoall:
      return {{mine * others * size, mine * others * size}};
    case Collective::reduce_scatter_block:
      return {{size * mine / ranks, size * others / ranks}};
    default:
      return std::nullopt;
  }
}

// Bytes per second of all that one site's connections to another can carry: its trunk, or all pairs
// side by side.
double rate_between(const Network& network, const std::vector<Rank>& from, const std::vector<Rank>& to) {
  if (const double trunk = trunk_between(network, from, to); trunk > 0) return 1 / trunk;
  double rate = 0;
  for (const Rank a : from)
    for (const Rank b : to) rate += 1 / hockney_of(network.between(a, b)).beta;
  return rate;
}

double least_latency(const Network& network, const std::vector<Rank>& from, const std::vector<Rank>& to) {
  double least = std::numeric_limits<double>::infinity();
  for (const Rank a : from)
    for (const Rank b : to) least = std::min(least, hockney_of(network.between(a, b)).alpha);
  return least;
}

// Latencies between any two sites, perhaps by way of others: by from · sites + to.
std::vector<double> shortest_latencies(const Network& network, const Sites& sites) {
  const std::size_t n = sites.size();
  std::vector<double> shortest(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a != b) shortest[a * n + b] = least_latency(network, sites[a], sites[b]);
  for (std::size_t way = 0; way < n; ++way)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        shortest[a * n + b] = std::min(shortest[a * n + b], shortest[a * n + way] + shortest[way * n + b]);
  return shortest;
}

}  // namespace

std::vector<std::size_t> site_by_rank(const Sites& sites, int ranks) {
  std::vector<std::size_t> numbers(static_cast<std::size_t>(ranks));
  for (std::size_t site = 0; site < sites.size(); ++site)
    for (const Rank rank : sites[site]) numbers[static_cast<std::size_t>(rank)] = site;
  return numbers;
}

double trunk_between(const Network& network, const std::vector<Rank>& from, const std::vector<Rank>& to) {
  const auto has = [](const std::vector<Rank>& site, Rank rank) {
    return std::binary_search(site.begin(), site.end(), rank);
  };
  for (const Trunk& trunk : network.trunks)
    if (has(from, trunk.from) && has(to, trunk.to)) return trunk.seconds_per_byte;
  return 0;
}

double lower_bound(Collective collective, std::size_t size, const Network& network, const Sites& sites) {
  if (sites.size() < 2) return 0;
  double ranks = 0, bound = 0;
  for (const auto& site : sites) ranks += static_cast<double>(site.size());
  const auto bytes = static_cast<double>(size);
  const auto shortest = shortest_latencies(network, sites);
  const auto latency = [&](std::size_t from, std::size_t to) { return shortest[from * sites.size() + to]; };
  const bool from_everywhere = !traits(collective).rooted;
  for (std::size_t here = 0; here < sites.size(); ++here) {
    const auto& site = sites[here];
    const bool has_root = std::count(site.begin(), site.end(), 0) > 0;
    const auto volume = crossing_volume(collective, bytes, ranks, static_cast<double>(site.size()), has_root);
    if (!volume) return 0;
    struct Direction {
      double rate = 0, nearest = std::numeric_limits<double>::infinity(), farthest = 0;
      void add(double more, double away) {
        rate += more;
        nearest = std::min(nearest, away);
        farthest = std::max(farthest, away);
      }
    } in, out;
    for (std::size_t other = 0; other < sites.size(); ++other) {
      if (other == here) continue;
      in.add(rate_between(network, sites[other], site), latency(other, here));
      out.add(rate_between(network, site, sites[other]), latency(here, other));
    }
    for (const auto& [way, crosses] : {std::pair(in, volume->in), {out, volume->out}}) {
      if (crosses <= 0) continue;
      bound = std::max(bound, way.nearest + crosses / way.rate);
      if (from_everywhere || has_root) bound = std::max(bound, way.farthest);
    }
    if (traits(collective).regular != Collective::allgather) continue;
    // Every host receives all blocks but its own by its port, those of other sites not at once.
    for (const Rank a : site) {
      double port = 0;
      for (const auto& other : sites)
        for (const Rank b : other)
          if (a != b) port = std::max(port, 1 / hockney_of(network.between(b, a)).beta);
      bound = std::max({bound, (ranks - 1) * bytes / port, in.nearest + volume->in / port});
    }
  }
  return bound;
}

// The parts of a group that has everybody can get no more than one way from each other part. Within
// hosts there are other ways where ranks share memory.
double lower_bound_of_groups(Collective collective, std::size_t size, const Network& network, int ranks) {
  if (network.group_of.empty()) return 0;
  struct Members {
    int ranks = 0;
    bool has_root = false;
    std::set<int> parts = {};
  };
  std::map<int, Members> members;
  for (Rank rank = 0; rank < ranks; ++rank) {
    int part = host_as_part(network, rank);
    std::vector<int> around = groups_around(network, rank);
    around.push_back(Network::Group::none);
    for (const int group : around) {
      Members& known = members[group];
      ++known.ranks;
      known.has_root |= rank == 0;
      known.parts.insert(std::exchange(part, group));
    }
  }
  const auto trunks = shared_trunks(network);
  const std::set<int> in_memory = network.memory ? parts_of_hosts(network) : std::set<int>();
  double bound = 0;
  for (const auto& entry : members) {
    const int number = entry.first;
    const Members& group = entry.second;
    if (number == Network::Group::none || in_memory.contains(number)) continue;
    const Network::Group& ways = network.groups[static_cast<std::size_t>(number)];
    double in = ways.in, out = ways.out;
    if (const Members& around = members.at(ways.within); around.ranks == ranks) {
      const double between = ways.within == Network::Group::none
                                 ? 0
                                 : network.groups[static_cast<std::size_t>(ways.within)].between;
      // All ways together let that through if each of them is narrow, in seconds a byte.
      const auto of_all = [&](auto way_of) {
        double rate = 0;
        for (const int other : around.parts) {
          if (other == number) continue;
          const auto trunk = trunks.find(way_of(other));
          const double way = trunk != trunks.end() ? trunk->second : between;
          if (way <= 0) return 0.0;
          rate += 1 / way;
        }
        return rate > 0 ? 1 / rate : 0;
      };
      in = std::max(in, of_all([number](int other) { return std::pair(other, number); }));
      out = std::max(out, of_all([number](int other) { return std::pair(number, other); }));
    }
    const auto volume =
        crossing_volume(collective, static_cast<double>(size), ranks, group.ranks, group.has_root);
    if (volume && group.ranks < ranks) bound = std::max({bound, volume->in * in, volume->out * out});
  }
  return bound;
}

}  // namespace tutti::inline core
