#pragma once

#include <cstddef>

// What calls and communicators are bound by: the constants of this room.

namespace tutti::run::calls {

/// Contexts of a process that tags tell apart, a multiple of 64. It was chosen by hand.
inline constexpr int most_contexts = 2048;

/// Numbers of contexts that a communicator reserves at a time at most, for those that are made of
/// it. It was chosen by hand.
inline constexpr int most_reserved_contexts = 64;

/// Communicators that a process makes for contexts that have no number. It was chosen by hand.
inline constexpr int most_own_contexts = 256;

/// Calls that a context tells apart at least; further ones wait until these are complete. It was
/// chosen by hand.
inline constexpr int least_calls_of_context = 16;

/// Communicators that a process makes for phases that are left to the MPI library. Libraries have a
/// few thousand, which are the program's. It was chosen by hand.
inline constexpr int most_groups = 64;

/// Memories of hosts that a process has for nonblocking calls, each a communicator's own. It was
/// chosen by hand.
inline constexpr int most_memories_at_once = 64;

/// Memories of hosts that are kept although no communicator uses them. It was chosen by hand.
inline constexpr std::ptrdiff_t most_unused_memories = 4;

/// Bytes of work memory that outlast a call, for the next one; more of it is the program's again at
/// once. It was chosen by hand.
inline constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;

/// Edges of a topology, both ways: every rank would need too much memory to know more. It was
/// chosen by hand.
inline constexpr std::size_t most_edges = std::size_t{1} << 23;

/// Share of the interval of TUTTI_ADAPT that measuring the network may take. It was chosen by hand.
inline constexpr double share_for_measuring = 0.1;

/// Looks at requests before the processor is let go: ranks may outnumber processors. It was chosen
/// by hand.
inline constexpr int looks_before_yielding = 16;

}  // namespace tutti::run::calls
