#pragma once

#include <cstddef>

// What files of MPI libraries are bound by: the constants of this room.

namespace tutti::inline choose::libraries {

/// Bytes of a segment where the library does not say how long it is. It was chosen by hand.
inline constexpr std::size_t usual_segment = 8192;

/// Numbers in a rule file are no larger, so that they fit into an int. It was chosen by hand.
inline constexpr std::size_t largest_number = 1'000'000'000;

/// Bytes of a page of memory, in which MPICH maps a file. The processor sets it: x86-64 has no
/// shorter ones.
inline constexpr std::size_t page_bytes = 4096;

/// The largest size and number of ranks in Intel MPI's conditions, which say nothing of how an open
/// end is written. It was chosen by hand.
inline constexpr std::size_t intel_largest = 2'147'483'647;

}  // namespace tutti::inline choose::libraries
