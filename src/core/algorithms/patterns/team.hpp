#pragma once

#include <bit>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// Ranks under new numbers, counted round from the root, so that the root is member 0.
struct Team {
  int size;
  Rank root = 0;

  int member(Rank rank) const { return (rank - root + size) % size; }
  Rank rank(int member) const { return (member + root) % size; }
};

/// ⌊log2 n⌋ for n > 0.
constexpr int floor_log2(int n) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
}

/// ⌈log2 n⌉ for n > 0.
constexpr int ceil_log2(int n) {
  return n == 1 ? 0 : floor_log2(n - 1) + 1;
}

/// The largest power of two not above n, for n > 0.
constexpr int power_of_two_below(int n) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
}

constexpr bool is_power_of_two(int n) {
  return std::has_single_bit(static_cast<unsigned>(n));
}

}  // namespace tutti::inline core
