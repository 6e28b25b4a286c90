#pragma once

#include <map>
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
