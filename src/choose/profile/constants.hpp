#pragma once

// What advice goes by: the constants of this room.

namespace tutti::inline choose::profile {

/// Doublings between the size of calls and what was measured, at most, for that to tell what they
/// take. It was chosen by hand. `bench/advice` compares what is told with what is gained.
inline constexpr double most_doublings = 2;

}  // namespace tutti::inline choose::profile
