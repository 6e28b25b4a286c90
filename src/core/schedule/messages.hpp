#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// By rank and operation: of a send, the receive at its peer that takes the message; of a receive,
/// the send.
using Partners = std::vector<std::vector<OperationId>>;

inline constexpr OperationId no_partner = -1;

/// Pairs every send with its receive: the one with the same two ranks and the same tag. No partner
/// have operations that are no messages, and messages that only one side knows of.
Partners match_messages(const Schedule& schedule);

/// Where ranks meet in native phases.
struct Meetings {
  std::vector<std::vector<OperationRef>> members;  ///< by meeting: those who come, in the order of ranks
  /// By rank and operation: its meeting; -1: not native. Empty for ranks without native phases.
  std::vector<std::vector<int>> of;
};

/// Pairs native phases: the n-th one of a group is the same phase on all ranks that have it.
Meetings match_native_phases(const Schedule& schedule);

}  // namespace tutti::inline core
