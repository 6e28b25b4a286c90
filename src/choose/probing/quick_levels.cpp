#include "choose/probing/quick_levels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "choose/probing/constants.hpp"

namespace tutti::inline choose {
namespace {

using HostsByPlace = std::map<int, std::vector<Rank>>;  // the first ranks of hosts, by place

std::map<int, HostsByPlace> hosts_in_places(const Hosts& hosts, const Hosts& places, const Hosts& outer) {
  std::map<int, HostsByPlace> all;
  std::set<int> seen;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    if (seen.insert(hosts[rank]).second) all[outer[rank]][places[rank]].push_back(static_cast<Rank>(rank));
  return all;
}

// Seconds a byte between the shortest message and the longest that both links know.
double slope(const Link& link, const Link& other) {
  const auto &own = link.time.points(), &theirs = other.time.points();
  const double bytes = std::min(own.back().bytes, theirs.back().bytes), least = own.front().bytes;
  return bytes > least ? std::max(0.0, link.time(bytes) - link.time(least)) / (bytes - least) : 0;
}

// What a level's ways let through, in seconds a byte; 0 where hosts, or ways within, are what
// counts.
struct QuickWays {
  double out = 0, between = 0;
};

QuickWays ways_of(const SeenLevel& level, const Hosts& hosts, double known) {
  // Seconds a byte of a place that sends, for all its hosts together; 0 where the way to others is
  // not what is slow. A last place without a partner sends nothing.
  const auto seconds = [&](const Link& seen, bool to_all) {
    const Exchange exchange = across(hosts, *level.places, *level.outer, to_all);
    std::set<int> sending;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank)
      if (exchange.sends[rank]) sending.insert((*level.places)[rank]);
    const double each = static_cast<double>(exchange.pairs()) / static_cast<double>(sending.size());
    const double slowest = std::max(slope(level.alone, seen), known), way = slope(seen, level.alone);
    return way * probing::full_growth > slowest ? way / each : 0;
  };
  const double to_one = seconds(level.to_one, false);
  std::size_t most = 0;  // places that send, of an outer one
  for (const auto& [outer, places] : hosts_in_places(hosts, *level.places, *level.outer))
    most = std::max(most, places.size() / 2);
  if (most < 2) return {to_one, 0};
  const double to_all = seconds(level.to_all, true);
  const double between = to_one * probing::full_growth > to_all ? to_one : 0;
  return {to_all * probing::full_growth > between / static_cast<double>(most) ? to_all : 0, between};
}

}  // namespace

void Exchange::pair(Rank from, Rank to) {
  partner[static_cast<std::size_t>(from)] = to;
  partner[static_cast<std::size_t>(to)] = from;
  sends[static_cast<std::size_t>(from)] = true;
}

int Exchange::pairs() const {
  return static_cast<int>(std::ranges::count(sends, true));
}

Exchange between_neighbors(const Hosts& places, const Hosts& outer) {
  Exchange exchange(places.size());
  std::set<int> seen;
  std::map<int, Rank> waiting;  // by outer place
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    if (!seen.insert(places[rank]).second) continue;
    const auto [first, waits] = waiting.try_emplace(outer[rank], static_cast<Rank>(rank));
    if (waits) continue;
    exchange.pair(first->second, static_cast<Rank>(rank));
    waiting.erase(first);
  }
  return exchange;
}

// The i-th host of the a-th place that sends goes to place a + i, so that no two meet.
Exchange across(const Hosts& hosts, const Hosts& places, const Hosts& outer, bool to_all) {
  Exchange exchange(hosts.size());
  for (const auto& [number, in_places] : hosts_in_places(hosts, places, outer)) {
    std::vector<const std::vector<Rank>*> all;
    for (const auto& [place, ranks] : in_places) all.push_back(&ranks);
    const std::size_t half = all.size() / 2;
    for (std::size_t a = 0; a < half; ++a)
      for (std::size_t i = 0; i < all[2 * a]->size(); ++i) {
        const auto& others = *all[2 * (to_all ? (a + i) % half : a) + 1];
        if (i < others.size()) exchange.pair((*all[2 * a])[i], others[i]);
      }
  }
  return exchange;
}

Network network_of_levels(const NearLinks& near, const Hosts& hosts, const std::vector<SeenLevel>& levels) {
  std::optional<Link> between_hosts = near.between_hosts;
  // Where each host is in a group of its own, no two are nearer than groups are.
  for (const SeenLevel& level : levels)
    if (!between_hosts && !level.alone.time.points().empty()) between_hosts = level.alone;
  Network network;
  for (const auto& link : {near.on_host, between_hosts})
    if (link) network.links.push_back(*link);
  if (!between_hosts || levels.empty()) return network;
  network.groups.emplace_back();
  double known = 0;  // seconds a byte that ways within leave to each host
  for (const SeenLevel& level : levels) {
    const bool is_seen = std::ranges::none_of(std::array{&level.alone, &level.to_one, &level.to_all},
                                              [](const Link* link) { return link->time.points().empty(); });
    const QuickWays ways = is_seen ? ways_of(level, hosts, known) : QuickWays{};
    network.links.push_back(level.alone.time.points().empty() ? network.links.back() : level.alone);
    network.groups.back().out = network.groups.back().in = ways.out;
    network.groups.back().within = static_cast<int>(network.groups.size());
    network.groups.push_back({.between = ways.between});
    known = std::max(known, ways.out * count(hosts) / count(*level.places));
  }
  return network;
}

}  // namespace tutti::inline choose
