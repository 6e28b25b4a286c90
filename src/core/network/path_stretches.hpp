#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/network/group_levels.hpp"
#include "core/network/price.hpp"

namespace tutti::inline core {

/// A part of a critical path whose messages go over one level of the network, with what is combined
/// between them; or a native phase.
struct PathStretch {
  std::string level = {};  ///< "within hosts", "between groups"; empty: no messages
  double start = 0, end = 0;
  std::vector<std::pair<Rank, Rank>> messages = {};  ///< from and to, in their order
  double least_bytes = 0, most_bytes = 0;            ///< of the shortest and the longest message
  int combinations = 0;
  bool is_native = false;
  int queued = 0;                            ///< messages that waited for a place, or went at its pace
  int queued_at = Price::PathStep::nowhere;  ///< where most of them were, in `Price::places`
  bool is_queued_at_one = true;              ///< whether all of them were there
};

/// What a critical path has of one kind: "messages between groups", "combinations".
struct PathShare {
  std::string of;
  double seconds = 0;
  double queued_s = 0;  ///< of messages that were queued at ports or on ways
  int steps = 0;
};

/// A price's critical path in as many stretches as its messages change from one level of the
/// network to another. Between `levels` that tell hosts apart messages are "between groups" where
/// the outermost does, else "between switches". The price is of this schedule on this network.
std::vector<PathStretch> stretches_of(const Price& price, const Schedule& schedule, const Network& network,
                                      const GroupLevels& levels);

/// What the critical path is spent on, the most first.
std::vector<PathShare> shares_of(const Price& price, const Schedule& schedule, const Network& network,
                                 const GroupLevels& levels);

}  // namespace tutti::inline core
