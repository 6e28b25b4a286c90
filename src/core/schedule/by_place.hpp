#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// By rank, numbers from 0 on of what ranks have, in the order in which it is first met: of names
/// of hosts, the hosts.
template <typename Key>
Hosts numbered(const std::vector<Key>& keys) {
  std::map<Key, int> numbers;
  Hosts all;
  for (const Key& key : keys)
    all.push_back(numbers.try_emplace(key, static_cast<int>(numbers.size())).first->second);
  return all;
}

/// The places of some ranks, such as their hosts, numbered in the order of these ranks; empty where
/// those of all are not known.
inline Hosts places_among(const std::vector<Rank>& ranks, const Hosts& places_of_all) {
  if (places_of_all.empty()) return {};
  Hosts places;
  for (const Rank rank : ranks) places.push_back(places_of_all[static_cast<std::size_t>(rank)]);
  return numbered(places);
}
inline PlacesInHosts places_among(const std::vector<Rank>& ranks, const PlacesInHosts& places_of_all) {
  PlacesInHosts places;
  for (const HostPartWords& each : host_parts)
    places[each.part] = places_among(ranks, places_of_all[each.part]);
  return places;
}

/// Where ranks are within their hosts, by the numbers that they have for it, which are their host's
/// own; 0: bound to none. A host of which a rank is bound to none is one place, for that rank may
/// be anywhere; empty where all hosts are such.
inline PlacesInHosts places_in_hosts(const Hosts& hosts, const std::vector<ByHostPart<std::uint64_t>>& ids) {
  PlacesInHosts places;
  for (const HostPartWords& each : host_parts) {
    std::set<int> unbound;
    for (std::size_t rank = 0; rank < ids.size(); ++rank)
      if (ids[rank][each.part] == 0) unbound.insert(hosts[rank]);
    if (static_cast<int>(unbound.size()) == count(hosts)) continue;
    std::vector<std::pair<int, std::uint64_t>> of_hosts;
    for (std::size_t rank = 0; rank < ids.size(); ++rank)
      of_hosts.emplace_back(hosts[rank], unbound.contains(hosts[rank]) ? 0 : ids[rank][each.part]);
    places[each.part] = numbered(of_hosts);
  }
  return places;
}

/// The first `ranks` ranks by their hosts, ascending.
inline std::vector<std::vector<Rank>> ranks_by_host(const Hosts& hosts, int ranks) {
  std::vector<std::vector<Rank>> all;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const auto host = static_cast<std::size_t>(hosts[static_cast<std::size_t>(rank)]);
    if (host >= all.size()) all.resize(host + 1);
    all[host].push_back(rank);
  }
  return all;
}

}  // namespace tutti::inline core
