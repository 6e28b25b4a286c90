#pragma once

#include <cstddef>
#include <cstdint>

// How ranks of a host talk through memory: the constants of this room.

namespace tutti::run::transport {

/// Bytes of a page of memory. The processor sets it: x86-64 has no shorter ones.
inline constexpr std::size_t page_bytes = 4096;

/// Bytes after which what one rank writes does not disturb another: two cache lines, which
/// processors fetch together. The processor sets it.
inline constexpr std::size_t apart_bytes = 128;

/// Pieces that may lie in a channel, a power of two. It was chosen by hand.
inline constexpr std::uint32_t slots = 8;

/// Pieces that may lie on a board, which several ranks read. It was chosen by hand.
inline constexpr std::size_t board_places = 4;

/// Bytes of a piece of a long message at most. It was chosen by hand.
inline constexpr std::size_t longest_cell = 8192;

/// Bytes of a piece at least; where memory is short there are no channels below. It was chosen by
/// hand.
inline constexpr std::size_t shortest_cell = 512;

/// Bytes that a rank shows in a stage at most. It was chosen by hand.
inline constexpr std::size_t longest_stage_place = 256 << 10;

/// Bytes that a rank can show in a stage at least. It was chosen by hand.
inline constexpr std::size_t shortest_stage_place = 4096;

/// Bytes from which on a message is lent to its reader, who copies it once. It was chosen by hand.
inline constexpr std::size_t lent_from = 64 << 10;

/// Chunks of a lent message, each of which has a bit in a word. The word's length sets it.
inline constexpr std::uint32_t most_chunks = 64;

/// Bytes of a chunk at least: claiming one has to cost little beside copying it. It was chosen by
/// hand.
inline constexpr std::size_t shortest_chunk = 32 << 10;

/// Looks before the processor is let go, where ranks outnumber processors. It was chosen by hand.
inline constexpr int spins = 2;

/// Looks before MPI is driven: what comes at once is not kept from being seen. It was chosen by
/// hand.
inline constexpr int before_drives = 64;

/// Looks before MPI is driven where ranks outnumber processors. It was chosen by hand.
inline constexpr int before_drives_crowded = 24;

/// Looks between two times that MPI is driven after that. Of a wait that lasts as many looks go to
/// MPI as to memory: others may need this rank for messages and accesses of the program's own, and
/// would have to wait as long as there is no look. It was chosen by hand.
inline constexpr int between_drives = 2;

}  // namespace tutti::run::transport
