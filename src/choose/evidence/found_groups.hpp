#pragma once

#include <cstdint>
#include <vector>

#include "choose/evidence/day.hpp"
#include "choose/evidence/whereabouts.hpp"

namespace tutti::inline choose {

/// Groups of hosts that a program found by what messages between them take. Hosts that are all in
/// one group were found to be equally far from each other.
struct FoundGroups {
  Whereabouts whereabouts;
  Day last = 0;  ///< when it found them
};

/// Adds what another program found, unless as much is known of its hosts as of that day: it takes
/// the place of what it has all the hosts of, and of the oldest where there are many.
void add(std::vector<FoundGroups>& known, FoundGroups found);

/// What was found last of all these hosts, which are fnv1a of their names; null: nothing.
const FoundGroups* found_of(const std::vector<FoundGroups>& known, const std::vector<std::uint64_t>& hosts);

/// The groups that hosts are in, by host, which are fnv1a of their names: numbers from 1 on, the
/// outermost first. Nothing of a host that is not there.
std::vector<std::vector<std::uint64_t>> groups_of_hosts(const Whereabouts& whereabouts,
                                                        const std::vector<std::uint64_t>& hosts);

/// Whether so much time has passed since that they are to be looked for again.
bool is_outdated(const FoundGroups& found, Day today);

}  // namespace tutti::inline choose
