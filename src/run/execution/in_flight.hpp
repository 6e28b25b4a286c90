#pragma once

#include <cstddef>

#include "run/execution/constants.hpp"

namespace tutti::run {

/// How much a rank may have under way at a time, in each direction. A schedule may hold any number
/// of messages: those beyond wait for earlier ones, which `verify` proves to be no deadlock
/// whatever the bounds are (Conditions::one_at_a_time). A message longer than `bytes` travels
/// alone.
struct InFlight {
  std::size_t messages = execution::most_messages_in_flight;
  std::size_t bytes = execution::most_bytes_in_flight;
};

/// The bounds of this process, no more than there are tags. Ranks need not agree on them.
inline InFlight in_flight;

/// A rank that only sends could run ahead of its receivers by any number of calls, and fill their
/// memory with messages that nobody has asked for yet: at these bounds, a send waits for its
/// receive.
inline constexpr InFlight unasked{execution::most_messages_unasked, execution::most_bytes_unasked};

}  // namespace tutti::run
