#pragma once

#include <chrono>
#include <cstddef>

// How calls that return at once are driven on: the constants of this room.

namespace tutti::run::requests {

/// Seconds that a thread waits for others before it blocks where it can't drive on, at first. It
/// was chosen by hand.
inline constexpr double first_patience_s = 2;

/// Seconds that it waits at least, however often it has waited in vain. It was chosen by hand.
inline constexpr double shortest_patience_s = 0.001;

/// Time between two looks of the thread that drives calls on. It was chosen by hand.
inline constexpr std::chrono::microseconds between_looks{20};

/// Workspaces that are kept for further calls. It was chosen by hand.
inline constexpr std::size_t most_workspaces = 16;

}  // namespace tutti::run::requests
