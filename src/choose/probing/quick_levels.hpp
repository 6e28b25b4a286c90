#pragma once

#include <optional>
#include <vector>

#include "core/network/group_levels.hpp"
#include "core/network/network.hpp"

namespace tutti::inline choose {

/// Who exchanges messages with whom at the same time, in pairs: as many whatever the ranks are.
struct Exchange {
  static constexpr Rank nobody = -1;
  std::vector<Rank> partner;  ///< by rank
  std::vector<bool> sends;    ///< whether it is the rank of its pair that sends what is long

  explicit Exchange(std::size_t ranks) : partner(ranks, nobody), sends(ranks) {}
  void pair(Rank from, Rank to);
  /// Number of pairs.
  int pairs() const;
};

/// The first ranks of neighbouring places, such as hosts, that are in the same outer place.
Exchange between_neighbors(const Hosts& places, const Hosts& outer);

/// The first rank of every host of every other place, such as a switch, and those of the next place
/// in the same outer one: all of them to that one, or each to another of all next ones.
Exchange across(const Hosts& hosts, const Hosts& places, const Hosts& outer, bool to_all);

/// What messages of one level of groups were seen to take.
struct SeenLevel {
  const Hosts* places;  ///< in which of the groups ranks are
  const Hosts* outer;   ///< and in which of those around them
  Link alone;           ///< of one pair between two groups
  Link to_one, to_all;  ///< of each pair, while all of a group's hosts send (across)
};

/// The links of ranks that are near, if they were seen.
struct NearLinks {
  std::optional<Link> on_host;
  std::optional<Link> between_hosts;  ///< of an innermost group
};

/// The network of any ranks (count_levels) that follows from levels, the innermost first. A way is
/// narrow where pairs beside each other are slower than their hosts, and narrower ways within, make
/// them; links without points were not seen, and say nothing.
Network network_of_levels(const NearLinks& near, const Hosts& hosts, const std::vector<SeenLevel>& levels);

}  // namespace tutti::inline choose
