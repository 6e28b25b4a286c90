#pragma once

#include <cstddef>

namespace tutti::run {

/// How much a rank may have under way at a time, in each direction. A schedule may hold any number of
/// messages: those beyond wait for earlier ones, which `verify` proves to be no deadlock whatever the bounds
/// are (Conditions::one_at_a_time). A message longer than `bytes` travels alone.
struct InFlight {
  std::size_t messages = 512;
  std::size_t bytes = std::size_t{64} << 20;
};

/// The tags of a call's messages, which those between two ranks take in turn: a rank has no more under way,
/// in the order of its part, so that of two messages with one tag the earlier one is received before the
/// receive of the other is posted.
inline constexpr int tags_of_a_call = 512;

/// The bounds of this process, no more than there are tags. Ranks need not agree on them.
inline InFlight in_flight;

/// A rank that only sends could run ahead of its receivers by any number of calls, and fill their
/// memory with messages that nobody has asked for yet: at these bounds, a send waits for its
/// receive.
inline constexpr InFlight unasked{256, std::size_t{1} << 20};

}  // namespace tutti::run
