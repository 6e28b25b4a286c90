#include "core/network/groups_at.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/network/group_members.hpp"
#include "core/network/groups.hpp"

namespace tutti::inline core {

Network with_groups_at(Network network, const std::vector<std::size_t>& places) {
  Network result = network;
  result.group_of.resize(places.size(), Network::Group::none);
  std::map<std::size_t, std::size_t> ranks_at;
  for (const std::size_t place : places) ++ranks_at[place];
  std::map<std::size_t, int> group_at;  // by place
  std::set<int> around_places;          // groups that have ranks of several
  for (const auto& [number, members] : members_of_groups(network)) {
    std::map<std::size_t, std::size_t> here;
    for (const Rank rank : members.ranks) ++here[places[static_cast<std::size_t>(rank)]];
    const auto has_all = [&](const auto& place) { return place.second == ranks_at.at(place.first); };
    if (here.size() == 1) {
      if (has_all(*here.begin())) group_at.emplace(here.begin()->first, number);
    } else if (std::ranges::all_of(here, has_all)) {
      around_places.insert(number);
    } else {
      return network;
    }
  }
  for (Rank rank = 0; rank < static_cast<Rank>(places.size()); ++rank) {
    const auto around = groups_around(network, rank);
    const auto outside = std::ranges::find_if(around, [&](int each) { return around_places.contains(each); });
    const auto [place, added] =
        group_at.try_emplace(places[static_cast<std::size_t>(rank)], static_cast<int>(result.groups.size()));
    if (added) result.groups.push_back({.within = outside == around.end() ? Network::Group::none : *outside});
    if (place->second < static_cast<int>(network.groups.size())) continue;
    if (outside == around.begin())
      result.group_of[static_cast<std::size_t>(rank)] = place->second;
    else
      result.groups[static_cast<std::size_t>(*std::prev(outside))].within = place->second;
  }
  return contradiction_of_groups(result) ? network : result;
}

}  // namespace tutti::inline core
