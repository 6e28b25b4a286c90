#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// The network that a table has of the first ranks of those it was tuned on, where these are on as
/// many hosts; nothing where it has none of such ranks.
std::optional<Network> whole_network_of(const Table& table, Placement placement);

/// The groups of the first ranks of those that a table was tuned on, where its model has groups and
/// these ranks are on as many hosts; nothing else of that network counts.
std::optional<Network> groups_of(const Table& table, Placement placement);

/// What a table knows of the network of ranks on hosts: the whole one where it has that, else its
/// links by hosts, where it has these, and the groups of its own first ranks (groups_of).
std::optional<Network> network_of(const Table& table, const Hosts& hosts);

/// The least time, in seconds, in which any algorithm can do a collective on ranks that are placed
/// so, by what a table knows: one-ported ends, and groups where it has the whole network. 0 where
/// it knows nothing.
class TableLimit {
 public:
  /// `table` has to stay as long.
  TableLimit(const Table& table, Placement placement)
      : table_(table), placement_(placement), network_(whole_network_of(table, placement)) {}
  double of(Collective collective, std::size_t size) const;
  /// Whether groups count: some of their ways are narrow.
  bool knows_groups() const {
    return network_ && std::ranges::any_of(network_->groups, &Network::Group::has_narrow_ways);
  }

 private:
  const Table& table_;
  Placement placement_;
  std::optional<Network> network_;
};

}  // namespace tutti::inline choose
