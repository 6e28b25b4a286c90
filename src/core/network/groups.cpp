#include "core/network/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/network/group_members.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::inline core {
namespace {

constexpr int none = Network::Group::none;
// Groups that a rank is in, one within the other, at most. It was chosen by hand, far beyond all
// machines.
constexpr int deepest = 64;

const Network::Group& group(const Network& network, int number) {
  return network.groups[static_cast<std::size_t>(number)];
}

bool is_group(const Network& network, int number) {
  return number >= 0 && static_cast<std::size_t>(number) < network.groups.size();
}

// A way up the tree that is so long goes round in circles, or nowhere.
std::optional<std::string> contradiction_of_tree(const Network& network) {
  const auto count = static_cast<int>(network.groups.size());
  for (int first = 0; first < count; ++first) {
    int steps = 0;
    for (int at = first; at != none; at = group(network, at).within) {
      if (!is_group(network, at))
        return fmt::format("{} is within group {}, there are {}", name_of_group(network, first), at, count);
      if (++steps > deepest)
        return fmt::format("{} is within itself, or within more than {} groups",
                           name_of_group(network, first), deepest);
    }
  }
  return std::nullopt;
}

// How many ranks each group has, of every host: a host that is but partly in a group has to have
// all of the group.
std::optional<std::string> contradiction_of_hosts(const Network& network) {
  std::map<int, int> of_host, of_group;
  std::map<std::pair<int, int>, int> of_both;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank) {
    const int host = network.host(rank);
    ++of_host[host];
    for (const int each : groups_around(network, rank)) {
      ++of_group[each];
      ++of_both[{each, host}];
    }
  }
  for (const auto& [both, ranks] : of_both)
    if (ranks < of_host[both.second] && ranks < of_group[both.first])
      return fmt::format("host {} is partly in {}, which has ranks of other hosts", both.second,
                         name_of_group(network, both.first));
  return std::nullopt;
}

// What of the first ranks is in groups.
class Reaches {
 public:
  Reaches(const Network& network, int ranks) : ranks_(ranks) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      const int host = network.host(rank);
      ++of_host_[host];
      for (const int each : groups_around(network, rank)) {
        Reach& reach = of_group_.try_emplace(each, Reach{0, host}).first->second;
        ++reach.ranks;
        if (reach.host != host) reach.host = none;
      }
    }
  }
  bool has_hosts_but_not_all(int group) const {
    const Reach& reach = of_group_.at(group);
    return reach.host == none && reach.ranks < ranks_;
  }
  bool is_part_of_host(int group) const {
    const Reach& reach = of_group_.at(group);
    return reach.host != none && reach.ranks < of_host_.at(reach.host);
  }

 private:
  struct Reach {
    int ranks, host;  // none: of several
  };
  int ranks_;
  std::map<int, int> of_host_;
  std::map<int, Reach> of_group_;
};

// By rank, the group that is chosen of those around it, or its host where none is; empty where
// every rank's is the host.
template <typename Choose>
Hosts places_in(const Network& network, int ranks, const Choose& choose) {
  std::vector<std::pair<bool, int>> places;  // whether it is a group, and which group or host
  bool any = false;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const int chosen = choose(groups_around(network, rank));
    any = any || chosen != none;
    places.emplace_back(chosen != none, chosen != none ? chosen : network.host(rank));
  }
  return any ? numbered(places) : Hosts{};
}

void add_groups(const Pool& pool, int within, const std::map<int, std::size_t>& ranks_on, Network& network) {
  for (const Pool& inner : pool.pools) {
    const int host = network.host(inner.ranks.front());
    const auto is_here = [&](Rank rank) { return network.host(rank) == host; };
    const bool is_host = inner.ranks.size() == ranks_on.at(host) && std::ranges::all_of(inner.ranks, is_here);
    int number = within;
    if (!is_host) {
      number = static_cast<int>(network.groups.size());
      network.groups.push_back({.within = within});
      for (const Rank rank : inner.ranks) network.group_of[static_cast<std::size_t>(rank)] = number;
    }
    add_groups(inner, number, ranks_on, network);
  }
}

// The ranks of each place that some ranks are at, by its number.
std::map<int, std::vector<Rank>> ranks_of_places(const std::vector<Rank>& ranks, const Hosts& places) {
  std::map<int, std::vector<Rank>> of_place;
  for (const Rank rank : ranks) of_place[places[static_cast<std::size_t>(rank)]].push_back(rank);
  return of_place;
}

// The kinds of parts of which a host has several, the fewest parts first; without those of which
// one has ranks of several of a kind before.
std::vector<HostPart> parts_within_each_other(const std::vector<Rank>& host, const PlacesInHosts& places) {
  std::vector<std::pair<std::size_t, HostPart>> kinds;
  for (const HostPartWords& each : host_parts)
    if (!places[each.part].empty())
      if (const std::size_t count = ranks_of_places(host, places[each.part]).size(); count > 1)
        kinds.emplace_back(count, each.part);
  std::ranges::sort(kinds);
  std::vector<HostPart> nested;
  for (const auto& [count, kind] : kinds) {
    const auto lies_across = [&](HostPart outer) {
      return std::ranges::any_of(ranks_of_places(host, places[kind]), [&](const auto& part) {
        return ranks_of_places(part.second, places[outer]).size() > 1;
      });
    };
    if (std::ranges::none_of(nested, lies_across)) nested.push_back(kind);
  }
  return nested;
}

// The number of a new group, which is now the innermost one of its ranks.
int add_group(Network::Group group, const std::vector<Rank>& ranks, Network& network) {
  const auto number = static_cast<int>(network.groups.size());
  network.groups.push_back(std::move(group));
  for (const Rank rank : ranks) network.group_of[static_cast<std::size_t>(rank)] = number;
  return number;
}

// The parts of what has these ranks, of the first kind of which there are several there.
void add_parts(const std::vector<Rank>& ranks, int within, std::span<const HostPart> kinds,
               const PlacesInHosts& places, Network& network) {
  if (kinds.empty()) return;
  const HostPart kind = kinds.front();
  const auto parts = ranks_of_places(ranks, places[kind]);
  if (parts.size() == 1) return add_parts(ranks, within, kinds.subspan(1), places, network);
  for (const auto& [number, own] : parts) {
    const int part =
        add_group({.name = fmt::format("{} {}", words_of(kind).noun, number), .within = within, .part = kind},
                  own, network);
    add_parts(own, part, kinds.subspan(1), places, network);
  }
}

// Without groups where they contradict themselves or the hosts.
Network without_contradiction(Network network) {
  if (network.groups.empty() || contradiction_of_groups(network)) {
    network.groups.clear();
    network.group_of.clear();
  }
  return network;
}

}  // namespace

std::vector<int> groups_around(const Network& network, Rank rank) {
  std::vector<int> groups;
  if (network.group_of.empty()) return groups;
  for (int at = network.group_of[static_cast<std::size_t>(rank)]; at != none; at = group(network, at).within)
    groups.push_back(at);
  return groups;
}

std::map<int, GroupMembers> members_of_groups(const Network& network) {
  std::map<int, GroupMembers> members;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank) {
    const std::vector<int> around = groups_around(network, rank);
    for (std::size_t i = 0; i < around.size(); ++i) {
      GroupMembers& of = members[around[i]];
      of.ranks.push_back(rank);
      of.hosts.insert(network.host(rank));
      of.depth = around.size() - 1 - i;
    }
  }
  return members;
}

std::set<int> parts_of_hosts(const Network& network) {
  std::map<int, std::size_t> of_host;
  for (Rank rank = 0; rank < static_cast<Rank>(network.group_of.size()); ++rank)
    ++of_host[network.host(rank)];
  std::set<int> parts;
  for (const auto& [group, in] : members_of_groups(network))
    if (in.hosts.size() == 1 && in.ranks.size() < of_host.at(*in.hosts.begin())) parts.insert(group);
  return parts;
}

std::size_t count_common_groups(const std::vector<int>& around, const std::vector<int>& around_other) {
  const auto differs =
      std::mismatch(around.rbegin(), around.rend(), around_other.rbegin(), around_other.rend()).first;
  return static_cast<std::size_t>(differs - around.rbegin());
}

int count_groups_of_all(const Network& network, int ranks) {
  const auto of_first = groups_around(network, 0);
  auto all = of_first.size();
  for (Rank rank = 1; rank < ranks && all > 0; ++rank)
    all = std::min(all, count_common_groups(of_first, groups_around(network, rank)));
  return static_cast<int>(all);
}

Hosts outermost_groups(const Network& network, int ranks) {
  if (network.group_of.empty()) return {};
  const auto of_all = static_cast<std::size_t>(count_groups_of_all(network, ranks));
  const Reaches reaches(network, ranks);
  return places_in(network, ranks, [&](const std::vector<int>& around) {
    const int outermost = around.size() > of_all ? around[around.size() - 1 - of_all] : none;
    return outermost != none && reaches.has_hosts_but_not_all(outermost) ? outermost : none;
  });
}

Hosts innermost_groups_of_hosts(const Network& network, int ranks) {
  const Reaches reaches(network, ranks);
  return places_in(network, ranks, [&](const std::vector<int>& around) {
    const auto found =
        std::ranges::find_if(around, [&](int each) { return reaches.has_hosts_but_not_all(each); });
    return found == around.end() ? none : *found;
  });
}

std::map<int, std::size_t> heights_of(const std::vector<std::vector<int>>& around) {
  std::map<int, std::size_t> heights;
  for (const std::vector<int>& of_rank : around)
    for (std::size_t i = 0; i < of_rank.size(); ++i) heights[of_rank[i]] = std::max(heights[of_rank[i]], i);
  return heights;
}

std::vector<Hosts> levels_of_groups(const Network& network, int ranks) {
  const Reaches reaches(network, ranks);
  const auto without_others = [&](std::vector<int> around) {
    std::erase_if(around, [&](int each) { return !reaches.has_hosts_but_not_all(each); });
    return around;
  };
  std::vector<std::vector<int>> around_ranks;
  std::size_t number = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    around_ranks.push_back(without_others(groups_around(network, rank)));
    number = std::max(number, around_ranks.back().size());
  }
  const auto heights = heights_of(around_ranks);
  std::vector<Hosts> levels;
  for (std::size_t level = 0; level < number; ++level) {
    Hosts places = places_in(network, ranks, [&](const std::vector<int>& all) {
      const std::vector<int> around = without_others(all);
      const auto found =
          std::find_if(around.rbegin(), around.rend(), [&](int each) { return heights.at(each) <= level; });
      return found != around.rend() ? *found : around.empty() ? none : around.front();
    });
    if (levels.empty() || levels.back() != places) levels.push_back(std::move(places));
  }
  return levels;
}

PlacesInHosts groups_in_hosts(const Network& network, int ranks) {
  const Reaches reaches(network, ranks);
  PlacesInHosts places;
  for (const HostPartWords& kind : host_parts)
    places[kind.part] = places_in(network, ranks, [&](const std::vector<int>& around) {
      int chosen = none;
      for (auto each = around.rbegin(); each != around.rend(); ++each) {
        if (!reaches.is_part_of_host(*each)) continue;
        const auto part = group(network, *each).part;
        if (part ? *part <= kind.part : chosen == none) chosen = *each;
      }
      return chosen;
    });
  return places;
}

std::string name_of_group(const Network& network, int number) {
  const std::string& name = group(network, number).name;
  return name.empty() ? fmt::format("group {}", number) : name;
}

std::optional<std::string> contradiction_of_groups(const Network& network) {
  if (auto why = contradiction_of_tree(network)) return why;
  if (network.group_of.empty()) return std::nullopt;
  const auto ranks = !network.hosts.empty() ? network.hosts.size() : network.known_ranks();
  if (network.group_of.size() != ranks)
    return fmt::format("there are groups of {} ranks, not {}", network.group_of.size(), ranks);
  for (const int innermost : network.group_of)
    if (innermost != none && !is_group(network, innermost))
      return fmt::format("a rank is in group {}, there are {}", innermost, network.groups.size());
  for (const Trunk& trunk : network.trunks)
    for (const Rank rank : {trunk.from, trunk.to})
      if (rank < 0 || static_cast<std::size_t>(rank) >= ranks)
        return fmt::format("a trunk is at rank {}, there are {}", rank, ranks);
  return contradiction_of_hosts(network);
}

Network with_groups_of(const Pool& root, Network network) {
  network.groups.clear();
  network.group_of.assign(root.ranks.size(), none);
  std::map<int, std::size_t> ranks_on;  // by host
  for (Rank rank = 0; rank < static_cast<Rank>(root.ranks.size()); ++rank) ++ranks_on[network.host(rank)];
  add_groups(root, none, ranks_on, network);
  return without_contradiction(std::move(network));
}

Network with_groups_around(Network network, const std::vector<std::vector<std::uint64_t>>& around) {
  network.groups.clear();
  network.group_of.clear();
  std::map<std::pair<int, std::uint64_t>, int> numbers;  // by the group around and the number there
  for (const auto& groups : around) {
    int innermost = none;
    for (const std::uint64_t each : groups) {
      const auto [entry, is_new] =
          numbers.try_emplace({innermost, each}, static_cast<int>(network.groups.size()));
      if (is_new) network.groups.push_back({.within = innermost});
      innermost = entry->second;
    }
    network.group_of.push_back(innermost);
  }
  return without_contradiction(std::move(network));
}

Network with_parts_of_hosts(Network network, const PlacesInHosts& places) {
  std::size_t ranks = 0;
  for (const HostPartWords& each : host_parts) ranks = std::max(ranks, places[each.part].size());
  std::map<int, std::vector<Rank>> of_host;
  for (Rank rank = 0; rank < static_cast<Rank>(ranks); ++rank) of_host[network.host(rank)].push_back(rank);
  for (const auto& [host, here] : of_host) {
    const auto kinds = parts_within_each_other(here, places);
    if (kinds.empty()) continue;
    if (network.group_of.empty()) network.group_of.assign(ranks, none);
    const int within = network.innermost_group(here.front());
    add_parts(here, add_group({.name = fmt::format("host {}", host), .within = within}, here, network), kinds,
              places, network);
  }
  return network;
}

// A place is told by the first ranks of all that a rank is in, outermost first, each host among the
// groups around it and those within it.
std::vector<Rank> in_order_of_groups(const Network& network, int ranks) {
  std::map<int, Rank> first_of_group, first_of_host;
  std::map<int, int> host_of_group;  // none: of several
  for (Rank rank = 0; rank < ranks; ++rank) {
    first_of_host.try_emplace(network.host(rank), rank);
    for (const int each : groups_around(network, rank)) {
      first_of_group.try_emplace(each, rank);
      const auto [host, added] = host_of_group.try_emplace(each, network.host(rank));
      if (!added && host->second != network.host(rank)) host->second = none;
    }
  }
  std::vector<std::pair<std::vector<Rank>, Rank>> places;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::vector<Rank> place, within_host;
    const auto around = groups_around(network, rank);
    for (auto each = around.rbegin(); each != around.rend(); ++each)
      (host_of_group[*each] == none ? place : within_host).push_back(first_of_group[*each]);
    place.push_back(first_of_host[network.host(rank)]);
    place.insert(place.end(), within_host.begin(), within_host.end());
    places.emplace_back(std::move(place), rank);
  }
  std::sort(places.begin(), places.end());
  std::vector<Rank> order;
  for (const auto& [place, rank] : places) order.push_back(rank);
  return order;
}

}  // namespace tutti::inline core
