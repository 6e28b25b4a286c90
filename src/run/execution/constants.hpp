#pragma once

#include <cstddef>

// What bounds the execution of plans: the constants of this room.

namespace tutti::run::execution {

/// Messages that a rank may have under way in each direction, unless TUTTI_LIMITS says
/// otherwise. It was chosen by hand.
inline constexpr std::size_t most_messages_in_flight = 512;

/// Bytes of these messages. It was chosen by hand.
inline constexpr std::size_t most_bytes_in_flight = std::size_t{64} << 20;

/// Messages that a rank sends which nobody may have asked for yet; the next waits for its receive.
/// It was chosen by hand.
inline constexpr std::size_t most_messages_unasked = 256;

/// Bytes of these messages. It was chosen by hand.
inline constexpr std::size_t most_bytes_unasked = std::size_t{1} << 20;

/// The tags of a call's messages, which those between two ranks take in turn: a rank has no more
/// under way, in the order of its part, so that of two messages with one tag the earlier one is
/// received before the receive of the other is posted. It was chosen by hand.
inline constexpr int tags_of_a_call = 512;

/// Bytes of an element that is combined in memory at most, for pieces hold whole ones. The shortest
/// cell sets it.
inline constexpr std::size_t largest_combined = 512;

/// Bytes that are packed at once, for MPI_Pack counts them in an int. The range of an int sets it.
inline constexpr std::size_t most_bytes_packed = std::size_t{1} << 30;

/// Bytes of all ranks together that everyone reads and combines; beyond, a stage more takes less
/// time. It was chosen by hand.
inline constexpr std::size_t most_read_by_everyone = 16 << 10;

/// Bytes that are copied between a device and the host at once, while messages that need none of
/// them go on. It was chosen by hand.
inline constexpr std::size_t piece_for_device = 512 << 10;

/// Bytes of a program's messages, in the mean, from which on the MPI library is handed addresses on
/// a device where it takes them: Open MPI needs half a millisecond to open the other's memory.
/// bench/run device set it.
inline constexpr std::size_t least_handed_to_mpi = std::size_t{1} << 20;

/// Bytes of host memory that devices reach by themselves which are kept from call to call. It was
/// chosen by hand.
inline constexpr std::size_t most_pinned_kept = std::size_t{256} << 20;

/// Bytes of the smallest block of that memory. It was chosen by hand.
inline constexpr std::size_t smallest_pinned = 64 << 10;

/// Datatypes of which is kept where their data lie. It was chosen by hand.
inline constexpr std::size_t most_types_looked_at = 256;

}  // namespace tutti::run::execution
