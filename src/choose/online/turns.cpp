#include "choose/online/turns.hpp"

#include <algorithm>
#include <utility>

namespace tutti::inline choose {

std::vector<Batch> Turns::cycles(const std::vector<std::size_t>& arms, int count, int calls, int together) {
  std::vector<Batch> batches;
  for (int first = 0; first < count; first += together)
    for (const std::size_t arm : shuffled(arms)) {
      if (together > 1) batches.push_back({arm, 1, false, first});
      for (int cycle = first; cycle < std::min(first + together, count); ++cycle)
        batches.push_back({arm, calls, true, cycle});
    }
  return batches;
}

std::vector<std::size_t> Turns::shuffled(std::vector<std::size_t> arms) {
  for (std::size_t left = arms.size(); left > 1; --left)
    std::swap(arms[left - 1], arms[static_cast<std::size_t>(random() % left)]);
  return arms;
}

// SplitMix64. Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014.
std::uint64_t Turns::random() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace tutti::inline choose
