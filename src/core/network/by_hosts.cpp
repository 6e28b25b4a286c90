#include "core/network/by_hosts.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tutti::inline core {
namespace {

// The numbers of the links that most pairs have, of different hosts and of one: one for both where
// there are no pairs of the other kind, and the first link where there are no pairs.
std::array<int, 2> usual_links(const Network& network) {
  std::array<std::map<int, std::size_t>, 2> pairs;
  for (Rank from = 0; from < network.ranks; ++from)
    for (Rank to = 0; to < network.ranks; ++to)
      if (from != to) ++pairs[network.host(from) == network.host(to)][network.link_number(from, to)];
  std::array<int, 2> usual{-1, -1};
  for (const std::size_t on_host : {0U, 1U})
    if (!pairs[on_host].empty())
      usual[on_host] =
          std::max_element(pairs[on_host].begin(), pairs[on_host].end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
          })->first;
  for (const std::size_t on_host : {0U, 1U})
    if (usual[on_host] < 0) usual[on_host] = std::max(0, usual[1 - on_host]);
  return usual;
}

}  // namespace

Network by_hosts(const Network& network) {
  Network result = network;
  if (!network.link_of.empty()) {
    const auto [apart, on_host] = usual_links(network);
    result.links = {network.links[static_cast<std::size_t>(apart)]};
    if (on_host != apart) result.links.push_back(network.links[static_cast<std::size_t>(on_host)]);
    result.link_on_host = on_host != apart;
    result.link_of.clear();
    result.ranks = 0;
  }
  result.hosts.clear();
  result.host_names.clear();
  result.groups.clear();
  result.group_of.clear();
  result.trunks.clear();
  result.torus.reset();
  result.lmo.reset();
  return result;
}

Network by_hosts_if_equal(Network network) {
  if (network.link_of.empty() || network.links.size() > 2) return network;
  const auto [apart, on_host] = usual_links(network);
  for (Rank from = 0; from < network.ranks; ++from)
    for (Rank to = 0; to < network.ranks; ++to)
      if (from != to &&
          network.link_number(from, to) != (network.host(from) == network.host(to) ? on_host : apart))
        return network;
  Network equal = by_hosts(network);
  equal.hosts = network.hosts;
  equal.host_names = network.host_names;
  equal.groups = network.groups;
  equal.group_of = network.group_of;
  equal.trunks = network.trunks;
  equal.torus = network.torus;
  equal.lmo = network.lmo;
  return equal;
}

bool knows_both_kinds_of_links(const Network& network) {
  return network.link_on_host != 0;
}

Hosts filled_hosts(int ranks, int hosts) {
  Hosts list;
  for (Rank rank = 0; rank < ranks; ++rank)
    list.push_back(static_cast<int>(std::int64_t{rank} * hosts / ranks));
  return list;
}

Hosts dealt_hosts(int ranks, int hosts) {
  Hosts list;
  for (Rank rank = 0; rank < ranks; ++rank) list.push_back(rank % hosts);
  return list;
}

Hosts hosts_of(int ranks, int ranks_a_host) {
  Hosts list;
  for (Rank rank = 0; rank < ranks; ++rank) list.push_back(rank / ranks_a_host);
  return list;
}

}  // namespace tutti::inline core
