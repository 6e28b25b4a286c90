#include "core/network/by_levels.hpp"

#include <algorithm>
#include <map>

namespace tutti::inline core {
namespace {

// How many times as long as within a group short messages between two of them take at least, if the
// groups matter. It was chosen by hand, as what is a clear step between levels of latencies.
constexpr double far_apart = 2;

}  // namespace

int count_levels(const Network& known) {
  const bool of_any_ranks =
      !known.groups.empty() && known.group_of.empty() && known.links.size() >= known.groups.size();
  return of_any_ranks ? static_cast<int>(known.groups.size()) - 1 : 0;
}

bool levels_matter(const Network& known) {
  const auto levels = static_cast<std::size_t>(count_levels(known));
  const auto latency = [&](std::size_t level) {
    return known.links[known.links.size() - known.groups.size() + level].time(1);
  };
  for (std::size_t level = 0; level < levels; ++level)
    if (latency(level + 1) >= far_apart * latency(level)) return true;
  return levels > 0 && std::ranges::any_of(known.groups, &Network::Group::has_narrow_ways);
}

Network network_on_levels(const Hosts& hosts, const GroupLevels& levels, const Network& known) {
  const auto places = levels.of_hosts();
  Network network = known;
  network.hosts = hosts;
  network.ranks = static_cast<int>(hosts.size());
  const bool knows_hosts = known.links.size() > known.groups.size();
  network.link_on_host = 0;
  const auto number = [&](std::size_t a, std::size_t b) {
    if (hosts[a] == hosts[b]) return 0;
    std::size_t level = 0;
    while (level < places.size() && (*places[level])[a] != (*places[level])[b]) ++level;
    return static_cast<int>(level + knows_hosts);
  };
  network.link_of.clear();
  network.link_of.reserve(hosts.size() * hosts.size());
  for (std::size_t from = 0; from < hosts.size(); ++from)
    for (std::size_t to = 0; to < hosts.size(); ++to) network.link_of.push_back(number(from, to));

  // All that is outside of the outermost level is one group.
  network.groups = {known.groups[places.size()]};
  network.groups.front().within = Network::Group::none;
  network.group_of.assign(hosts.size(), 0);
  for (std::size_t level = places.size(); level-- > 0;) {
    std::map<int, int> group_of_place;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      const auto [entry, added] =
          group_of_place.try_emplace((*places[level])[rank], static_cast<int>(network.groups.size()));
      if (added) {
        network.groups.push_back(known.groups[level]);
        network.groups.back().within = network.group_of[rank];
      }
      network.group_of[rank] = entry->second;
    }
  }
  return network;
}

}  // namespace tutti::inline core
