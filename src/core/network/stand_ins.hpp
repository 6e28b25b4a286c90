#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/network/network.hpp"

namespace tutti::inline core {

/// Ranks of a network that the ranks of a job stand for: a network of which hosts' names are known
/// serves other jobs on these hosts, whatever their ranks' order, and jobs on some of them.
struct StandIns {
  std::vector<Rank> ranks;                   ///< by rank of the job; empty: not known
  bool any_has_more = false;                 ///< on some host the job has more ranks than the network
  std::optional<Rank> on_strange_host = {};  ///< the first rank whose host the network does not know

  /// By fnv1a of the name of each rank's host. Hosts that the network does not know go by their
  /// order, as long as it has enough, where it tells no hosts apart.
  static StandIns of(const Network& network, const std::vector<std::uint64_t>& hosts_of_job);

  /// The stand-ins of some ranks of the job.
  StandIns among(const std::vector<Rank>& some) const;
};

/// Whether a network says more of its hosts than that they are different ones: groups that some of
/// them are in, trunks, places in a torus, or several kinds of links between them.
bool tells_hosts_apart(const Network& network);

/// Whether a network knows the links between the ranks of a job. Of more ranks on a host than it
/// has there it does where links go by hosts.
bool knows_links(const Network& network, const StandIns& job);

/// The network between the ranks of a job. Where a host has more of them than the network has,
/// nobody knows in which groups within their host they are.
Network network_between(const Network& network, const StandIns& job);

/// The groups that the hosts of a job are in, as a network of which nothing else is known.
Network groups_between(const Network& network, const StandIns& job);

/// A network between ranks on hosts with those names, the hosts by rank: as it is, where it knows
/// no names. Fails where it does not know a host, or the links on it.
Result<Network> network_on(Network network, const Hosts& hosts, const std::vector<std::string>& names);

}  // namespace tutti::inline core
