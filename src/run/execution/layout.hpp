#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::run {

/// Where the blocks of a buffer lie, in units (bytes where data are moved, elements where they are
/// reduced) from the buffer's address; how many units each has. Blocks that the caller has not have
/// none.
struct Blocks {
  std::vector<std::ptrdiff_t> begin;
  std::vector<std::size_t> units;
  friend bool operator==(const Blocks&, const Blocks&) = default;

  /// `count` blocks without units.
  void clear(int count) {
    begin.assign(static_cast<std::size_t>(count), 0);
    units.assign(static_cast<std::size_t>(count), 0);
  }
  void set(int block, std::ptrdiff_t at, std::size_t size) {
    begin[static_cast<std::size_t>(block)] = at;
    units[static_cast<std::size_t>(block)] = size;
  }
  /// A rank's block, cut into pieces as even as units allow.
  void set_pieces(Rank rank, int pieces, std::ptrdiff_t at, std::size_t size) {
    const auto count = static_cast<std::size_t>(pieces), base = size / count, longer = size % count;
    for (std::size_t i = 0; i < count; ++i)
      set(rank * pieces + static_cast<int>(i),
          at + static_cast<std::ptrdiff_t>(i * base + std::min(i, longer)), base + (i < longer ? 1 : 0));
  }
};

/// Where all blocks of a call lie. Scratch blocks follow one another; those not used have no units.
struct Layout {
  Blocks input, output;
  std::vector<std::size_t> scratch;
  bool even = true;  ///< all ranks' blocks are equally long
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A vector cut into even parts, the first ones one unit longer where it does not divide.
inline Blocks even_split(std::size_t units, int count) {
  const auto blocks = static_cast<std::size_t>(count);
  const std::size_t base = units / blocks, longer = units % blocks;
  Blocks result;
  for (std::size_t i = 0; i < blocks; ++i) {
    result.begin.push_back(static_cast<std::ptrdiff_t>(i * base + std::min(i, longer)));
    result.units.push_back(base + (i < longer ? 1 : 0));
  }
  return result;
}

}  // namespace tutti::run
