#pragma once

#include <map>
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
/// its SwitchName=. What contradicts itself, or goes round in circles, is an error that names the
/// line.
Result<Whereabouts> read_whereabouts(const std::string& text, const std::string& source);

/// What Slurm tells its processes, by host: SLURM_TOPOLOGY_ADDR, such as "s0.s4.node7", with
/// switches from the outermost on and the host at the end. Nothing where it tells nothing.
Result<Whereabouts> whereabouts_of_addresses(const std::vector<std::string>& hosts,
                                             const std::vector<std::string>& addresses);

/// The network with the groups of its hosts, which have these names; one group has all of them.
/// Names may have more or fewer parts behind dots than `whereabouts` has. A host that is not there
/// is an error.
Result<Network> with_groups(Network network, int ranks, const Whereabouts& whereabouts,
                            const std::vector<std::string>& hosts);

}  // namespace tutti::inline choose
