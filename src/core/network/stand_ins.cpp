#include "core/network/stand_ins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/network/by_hosts.hpp"
#include "core/network/group_levels.hpp"
#include "core/network/group_members.hpp"
#include "core/network/quantised.hpp"
#include "core/schedule/by_place.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti::inline core {
namespace {

constexpr int none = Network::Group::none;

// By host of the job the network's: by names, or else, where it tells no hosts apart, in order. The
// first host of the job that it does not know comes last.
std::pair<std::vector<int>, std::optional<int>> hosts_there(const Network& network, const Hosts& hosts,
                                                            const std::vector<std::uint64_t>& hosts_of_job) {
  std::map<std::uint64_t, int> numbers;
  for (const std::string& name : network.host_names)
    numbers.try_emplace(fnv1a(name), static_cast<int>(numbers.size()));
  std::vector<int> there(static_cast<std::size_t>(count(hosts)), none);
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    if (const auto known = numbers.find(hosts_of_job[rank]); known != numbers.end())
      there[static_cast<std::size_t>(hosts[rank])] = known->second;
  const auto strange = std::ranges::find(there, none);
  if (strange == there.end()) return {std::move(there), std::nullopt};
  if (there.size() > network.host_names.size() || tells_hosts_apart(network))
    return {{}, static_cast<int>(strange - there.begin())};
  for (std::size_t host = 0; host < there.size(); ++host) there[host] = static_cast<int>(host);
  return {std::move(there), std::nullopt};
}

// Without the groups that are parts of a host.
Network without_groups_within_hosts(Network network) {
  const std::set<int> parts = parts_of_hosts(network);
  for (int& innermost : network.group_of)
    while (parts.contains(innermost)) innermost = network.groups[static_cast<std::size_t>(innermost)].within;
  return network;
}

}  // namespace

StandIns StandIns::of(const Network& network, const std::vector<std::uint64_t>& hosts_of_job) {
  StandIns job;
  const Hosts hosts = numbered(hosts_of_job);
  const auto [there, strange] = hosts_there(network, hosts, hosts_of_job);
  if (strange) {
    job.on_strange_host = static_cast<Rank>(std::ranges::find(hosts, *strange) - hosts.begin());
    return job;
  }
  const auto of_network = ranks_by_host(network.hosts, static_cast<int>(network.hosts.size()));
  std::vector<std::size_t> before(there.size());
  for (const int host : hosts) {
    const auto& ranks = of_network[static_cast<std::size_t>(there[static_cast<std::size_t>(host)])];
    const std::size_t place = before[static_cast<std::size_t>(host)]++;
    job.ranks.push_back(ranks[place % ranks.size()]);
    job.any_has_more = job.any_has_more || place >= ranks.size();
  }
  return job;
}

StandIns StandIns::among(const std::vector<Rank>& some) const {
  StandIns those{{}, any_has_more};
  if (ranks.empty()) return those;
  for (const Rank rank : some) those.ranks.push_back(ranks[static_cast<std::size_t>(rank)]);
  return those;
}

bool tells_hosts_apart(const Network& network) {
  const auto ranks = static_cast<int>(network.known_ranks());
  if (!network.trunks.empty() || network.torus) return true;
  if (!network.group_of.empty() && GroupLevels::of(network, ranks).tells_hosts_apart()) return true;
  if (network.link_of.empty()) return false;
  const Network alike = quantised(network);
  std::optional<int> between_hosts;
  for (Rank from = 0; from < ranks; ++from)
    for (Rank to = 0; to < ranks; ++to) {
      if (alike.host(from) == alike.host(to)) continue;
      const int link = alike.link_number(from, to);
      if (between_hosts.value_or(link) != link) return true;
      between_hosts = link;
    }
  return false;
}

bool knows_links(const Network& network, const StandIns& job) {
  return !job.ranks.empty() &&
         (!job.any_has_more || (network.link_of.empty() && knows_both_kinds_of_links(network)));
}

Network network_between(const Network& network, const StandIns& job) {
  return restricted(job.any_has_more ? without_groups_within_hosts(network) : network, job.ranks);
}

Network groups_between(const Network& network, const StandIns& job) {
  return network_between({.hosts = network.hosts, .groups = network.groups, .group_of = network.group_of},
                         job);
}

Result<Network> network_on(Network network, const Hosts& hosts, const std::vector<std::string>& names) {
  if (network.host_names.empty()) return network;
  std::vector<std::uint64_t> numbers;
  for (const int host : hosts) numbers.push_back(fnv1a(names[static_cast<std::size_t>(host)]));
  const StandIns job = StandIns::of(network, numbers);
  const auto name_of = [&](Rank rank) {
    return names[static_cast<std::size_t>(hosts[static_cast<std::size_t>(rank)])];
  };
  if (job.on_strange_host)
    return failure(fmt::format("host {} of rank {} is not in it; probe with that host, or start on its hosts",
                               name_of(*job.on_strange_host), *job.on_strange_host));
  if (!knows_links(network, job))
    return failure("some host has more ranks than were probed there; probe with as many");
  const bool are_the_same = job.ranks.size() == network.hosts.size() && std::ranges::is_sorted(job.ranks);
  Network there = are_the_same && !job.any_has_more ? std::move(network) : network_between(network, job);
  there.host_names = names;
  return there;
}

}  // namespace tutti::inline core
