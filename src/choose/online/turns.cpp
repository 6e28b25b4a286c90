#include "choose/online/turns.hpp"

#include <utility>

namespace tutti::inline choose {

std::vector<Batch> Turns::cycles(const std::vector<std::size_t>& arms, int count, int calls) {
  std::vector<Batch> batches;
  for (int cycle = 0; cycle < count; ++cycle) {
    std::vector<std::size_t> order = arms;
    for (std::size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[static_cast<std::size_t>(random() % left)]);
    for (const std::size_t arm : order) batches.push_back({arm, calls});
  }
  return batches;
}

// SplitMix64. Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014.
std::uint64_t Turns::random() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace tutti::inline choose
