#include "core/schedule/block_lengths.hpp"

#include <algorithm>

namespace tutti::inline core {

std::optional<BlockLengths> block_lengths_named(std::string_view wanted) {
  const auto found = std::ranges::find(names_of_block_lengths, wanted);
  if (found == names_of_block_lengths.end()) return std::nullopt;
  return static_cast<BlockLengths>(found - names_of_block_lengths.begin());
}

// What does not divide goes to the ranks that have something, one byte each.
std::vector<std::size_t> lengths_of(BlockLengths lengths, int ranks, std::size_t bytes) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> weights(p, 1);
  if (lengths == BlockLengths::degenerate) std::fill(weights.begin() + 1, weights.end(), 0);
  if (lengths == BlockLengths::irregular && ranks > 1)
    for (std::size_t rank = 0; rank < p; ++rank) weights[rank] = rank % 3;
  std::size_t all = 0;
  for (const std::size_t weight : weights) all += weight;
  std::size_t left = bytes % all;
  for (std::size_t& weight : weights) {
    const std::size_t more = std::min(left, weight);
    weight = weight * (bytes / all) + more;
    left -= more;
  }
  return weights;
}

}  // namespace tutti::inline core
