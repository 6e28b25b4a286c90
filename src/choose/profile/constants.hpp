#pragma once

#include <cstddef>

// What profiles keep, and what advice goes by: the constants of this room.

namespace tutti::inline choose::profile {

/// Doublings between the size of calls and what was measured, at most, for that to tell what they
/// take. It was chosen by hand. `bench/advice` compares what is told with what is gained.
inline constexpr double most_doublings = 2;

/// Calls of a kind whose times a rank keeps one by one. It was chosen by hand; `bench/overhead`
/// measures what a profiled call costs.
inline constexpr std::size_t most_sampled = 32;

/// Calls from which on something is said of who is late. It was chosen by hand.
inline constexpr std::size_t least_sampled = 8;

/// Ranks of a sampled call that are kept by their numbers, those that came last. It was chosen by
/// hand.
inline constexpr std::size_t most_late_ranks = 8;

/// Kinds of calls of which samples are written, those that take longest. It was chosen by hand.
inline constexpr std::size_t most_kinds_sampled = 32;

/// A rank is late in a call where it comes that much of what the first one spent there behind that
/// one: less may be how ranks leave; and that much of what the last one is late by in the average
/// call: less is small beside it. It was chosen by hand.
inline constexpr double late_behind = 0.25;

/// A rank is always the late one where it is late in that share of the calls in which one is, at
/// least. It was chosen by hand: of two ranks that are late in turn it is neither.
inline constexpr double same_share = 0.7;

/// Ranks that are named in a line, of those that are always late. It was chosen by hand.
inline constexpr std::size_t most_late_named = 3;

/// Share of calls with a late rank below which nothing is said of it: rounded, it is none of ten.
/// It was chosen by hand.
inline constexpr double rarest = 0.05;

/// Waiting for late ranks, as a share of the run, from which on it is told who they are: what
/// `tutti tune --for` finds worth tuning. It was chosen by hand.
inline constexpr double worth_telling = 0.001;

/// Seconds that a rank is late at most where calls are replayed: the others are long done with what
/// they can do without it. It was chosen by hand.
inline constexpr double latest_replayed_s = 1;

}  // namespace tutti::inline choose::profile
