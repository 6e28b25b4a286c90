#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/network/network.hpp"
#include "core/network/pool_tree.hpp"

namespace tutti::inline core {

/// The groups that a rank is in, the innermost first.
std::vector<int> groups_around(const Network& network, Rank rank);

/// How many groups two ranks are both in, by the groups around each: these are the outermost ones.
std::size_t count_common_groups(const std::vector<int>& around, const std::vector<int>& around_other);

/// By rank, in which of the outermost groups that tell the first `ranks` ranks apart it is. They
/// are numbered in the order of their first ranks; a host that is in none is one. Empty where no
/// group has several hosts.
Hosts outermost_groups(const Network& network, int ranks);

/// By rank, in which of the innermost groups that have ranks of several hosts it is, as of switches
/// to which hosts are connected. Numbered as outermost groups are, and empty where there are none
/// that tell ranks apart; a host that is in none is one.
Hosts innermost_groups_of_hosts(const Network& network, int ranks);

/// By level and rank, in which group of several hosts it is, from the innermost groups (level 1) to
/// the outermost ones. Of level k is the outermost group around it within which there are at most
/// k − 1 groups one around the other, else its innermost one. Numbered as outermost groups are; a
/// level that has no other groups than the one before is none.
std::vector<Hosts> levels_of_groups(const Network& network, int ranks);

/// By group, how many others are one in the other within it; `around`: the groups around each rank,
/// the innermost first.
std::map<int, std::size_t> heights_of(const std::vector<std::vector<int>>& around);

/// In which groups within its host each rank is: by part, in the innermost that is one of it or of
/// a part that most hosts have around it. Groups of which the part is not known are sockets where
/// they are the outermost, and else none. Numbered as outermost groups are, and empty where no host
/// has any; a host without is one.
PlacesInHosts groups_in_hosts(const Network& network, int ranks);

/// How many groups the first `ranks` ranks are all in.
int count_groups_of_all(const Network& network, int ranks);

/// How a group is called where people read it: by its name, or by its number.
std::string name_of_group(const Network& network, int group);

/// What is wrong with a network's groups, if anything: they have to be trees that know every rank,
/// and a host is in a group as a whole, unless the group is within the host.
std::optional<std::string> contradiction_of_groups(const Network& network);

/// The network with a group for each pool in a tree of pools but the root, and for none that are
/// the ranks of a host. Without groups where pools tear hosts apart.
Network with_groups_of(const Pool& root, Network network);

/// The network with the groups that ranks are in, by rank and by any numbers that differ for
/// different ones, the outermost first. Without groups where these tear hosts apart.
Network with_groups_around(Network network, const std::vector<std::vector<std::uint64_t>>& around);

/// The network with the parts of hosts as groups: in each host that has several parts of a kind, a
/// group of each of these, and so on in each of them; and one of all of the host around them, in
/// the group that the host is in. A part that is the only one in the part around it is no group, so
/// that of parts that are the same there is one, by the name of the outermost; parts that lie
/// across others are none.
Network with_parts_of_hosts(Network network, const PlacesInHosts& places);

/// The first `ranks` ranks in the order in which the tree of groups has them, those of a host
/// beside each other: near by number are then near in the network. Groups, hosts and ranks stand in
/// the order of their first ranks.
std::vector<Rank> in_order_of_groups(const Network& network, int ranks);

}  // namespace tutti::inline core
