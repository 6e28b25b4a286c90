#pragma once

#include <vector>

#include "schedule/schedule.hpp"

namespace tutti {

/// By rank and operation: of a send, the receive at its peer that takes the message; of a receive, the send.
using Partners = std::vector<std::vector<OperationId>>;

inline constexpr OperationId no_partner = -1;

/// Pairs every send with its receive: the one with the same two ranks and the same tag. No partner have
/// operations that are no messages, and messages that only one side knows of.
Partners match_messages(const Schedule& schedule);

}  // namespace tutti
