#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/network/network.hpp"

namespace tutti::inline choose {

/// Where hosts are, as people or a scheduler say: trees of groups, and the innermost group of each
/// host, by its name.
struct Whereabouts {
  std::string source;  ///< for errors: a file, a variable
  std::vector<Network::Group> groups = {};
  std::map<std::string, int> group_of = {};
};

/// Reads a file of groups: in each line a host and the groups that it is in, the innermost first,
/// with spaces or commas between; # begins a comment. A file of Slurm's, topology.conf, is known by
/// its SwitchName= or BlockName=. What contradicts itself, goes round in circles, or is no list of
/// names is an error that names the line.
Result<Whereabouts> read_whereabouts(const std::string& text, const std::string& source);

/// By host the groups that it is in, the innermost first; what contradicts itself, or has a host in
/// none, is an error.
Result<Whereabouts> whereabouts_of(const std::map<std::string, std::vector<std::string>>& groups_of_hosts,
                                   const std::string& source);

/// The groups that a host is in, the outermost first; empty: it is not there. Its name may have
/// more or fewer parts behind dots than `whereabouts` has.
std::vector<std::string> groups_of_host(const Whereabouts& whereabouts, const std::string& host);

/// The switches that Slurm tells a process on a host, the outermost first: of SLURM_TOPOLOGY_ADDR,
/// such as "s0.s4.node7", with the host at the end. Empty where it names none, or another host.
std::vector<std::string> switches_in_address(const std::string& address, const std::string& host);

/// What Slurm tells its processes, by host. Nothing where it tells nothing.
Result<Whereabouts> whereabouts_of_addresses(const std::vector<std::string>& hosts,
                                             const std::vector<std::string>& addresses);

/// The network with the groups of its hosts, which have these names; one group has all of them.
/// A host that is not there is an error.
Result<Network> with_groups(Network network, int ranks, const Whereabouts& whereabouts,
                            const std::vector<std::string>& hosts);

/// A file of groups, as read_whereabouts reads it, of the hosts of a network, which have these
/// names; nothing where its groups, none of which are within a host, tell no hosts apart. A host in
/// no group is one by itself.
std::optional<std::string> groups_file_of(const Network& network, const std::vector<std::string>& hosts);

}  // namespace tutti::inline choose
