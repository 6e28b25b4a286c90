#pragma once

#include <bit>
#include <cstddef>
#include <limits>

namespace tutti::inline choose {

/// Sizes that are learnt of together, a factor of two each: 0, 1, 2 … 3, 4 … 7, ….
struct SizeClass {
  static constexpr int count = std::numeric_limits<std::size_t>::digits + 1;

  int number = 0;

  static constexpr SizeClass of(std::size_t size) { return {static_cast<int>(std::bit_width(size))}; }
  constexpr std::size_t smallest() const { return number == 0 ? 0 : std::size_t{1} << (number - 1); }
  constexpr std::size_t largest() const {
    return number == 0           ? 0
           : number == count - 1 ? std::numeric_limits<std::size_t>::max()
                                 : (std::size_t{1} << number) - 1;
  }
  /// A size that stands for all of them, bytes.
  constexpr std::size_t typical() const { return smallest() + smallest() / 2; }
  friend constexpr auto operator<=>(const SizeClass&, const SizeClass&) = default;
};

}  // namespace tutti::inline choose
