#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/schedule/collective.hpp"

namespace tutti::inline core {

/// How long ranks' blocks are in irregular calls whose sizes all ranks know
/// (SizeMeans::mean_block). Source: Träff, (Poly)Logarithmic Time Construction of Round-optimal
/// n-Block Broadcast Schedules for Broadcast and irregular Allgather in MPI, 2022.
enum class BlockLengths : std::uint8_t {
  equal,       ///< all as long as the mean one
  irregular,   ///< nothing, once and twice as much, in turn
  degenerate,  ///< the first rank has everything
};

inline constexpr std::array<std::string_view, 3> names_of_block_lengths{"equal", "irregular", "degenerate"};
constexpr std::string_view name(BlockLengths lengths) {
  return names_of_block_lengths[static_cast<std::size_t>(lengths)];
}
/// The lengths of that name, or nothing.
std::optional<BlockLengths> block_lengths_named(std::string_view wanted);

/// Whether blocks of such a collective may have other lengths than equal ones.
constexpr bool has_lengths(Collective collective) {
  return traits(collective).size_means == SizeMeans::mean_block;
}

/// Bytes of each rank's block, of `bytes` bytes in all.
std::vector<std::size_t> lengths_of(BlockLengths lengths, int ranks, std::size_t bytes);

}  // namespace tutti::inline core
