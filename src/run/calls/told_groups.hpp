#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/network/group_levels.hpp"
#include "core/network/network.hpp"

namespace tutti::run {

/// The groups that the hosts of a communicator are in, as they were told: a network of which
/// nothing else is known. Communicators of the same ranks share them.
class ToldGroups {
 public:
  /// `told`: the groups of all ranks of a communicator.
  explicit ToldGroups(Network told) : network_(std::move(told)) {}

  /// The groups of some ranks of another communicator; null where that has none.
  static std::shared_ptr<const ToldGroups> of(const std::shared_ptr<const ToldGroups>& others,
                                              const std::vector<Rank>& ranks);

  /// The groups, and their ways, where a network that knows these hosts told of them.
  const Network& network() const { return network_; }

  /// The levels that follow; null where none tells hosts apart. They are found out when they are
  /// first asked for: that takes some 80 µs where there are 64 ranks, and most communicators have
  /// no plans that ask.
  const GroupLevels* levels() const;

 private:
  Network network_;
  mutable std::mutex mutex_;
  mutable std::optional<GroupLevels> levels_;
};

}  // namespace tutti::run
