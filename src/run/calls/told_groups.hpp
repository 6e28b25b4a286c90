#pragma once

#include <memory>
#include <vector>

#include "core/network/group_levels.hpp"
#include "core/network/network.hpp"

namespace tutti::run {

/// The groups that the hosts of a communicator are in, as they were told: a network of which
/// nothing else is known, and the levels that follow. Communicators of the same ranks share them.
struct ToldGroups {
  Network network;
  GroupLevels levels;

  /// The groups of a communicator's ranks; null where no level tells hosts apart.
  static std::shared_ptr<const ToldGroups> of(Network told, int ranks);
  /// The groups of some ranks of another communicator; null where that has none.
  static std::shared_ptr<const ToldGroups> of(const std::shared_ptr<const ToldGroups>& others,
                                              const std::vector<Rank>& ranks);
};

}  // namespace tutti::run
