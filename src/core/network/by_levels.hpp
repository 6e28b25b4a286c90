#pragma once

#include "core/network/group_levels.hpp"
#include "core/network/network.hpp"

namespace tutti::inline core {

/// Number of levels of groups of hosts of which a network says what they cost for any ranks: then
/// its links go from near to far, on a host first, if it has that one, then between hosts of an
/// innermost group, and between the outermost groups last; `groups` has one of each level, within
/// the next, and behind these one of everything; and it does not say which ranks are in them. 0: it
/// says nothing of groups.
int count_levels(const Network& known);

/// Whether it matters which groups ranks are in: some way is narrow, or short messages between
/// groups take twice as long as within them, or longer.
bool levels_matter(const Network& known);

/// The network of ranks on hosts that are in such groups: links by levels, and ways of the groups.
/// Levels that ranks are not apart at are the outer ones, whose links they do not need. `known`
/// has as many levels as these at least, which tell hosts apart.
Network network_on_levels(const Hosts& hosts, const GroupLevels& levels, const Network& known);

}  // namespace tutti::inline core
