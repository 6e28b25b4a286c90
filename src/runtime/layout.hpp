#pragma once

#include <algorithm>
#include <cstddef>

namespace tutti::runtime {

/// Where the blocks of a vector of `units` elements begin: an even split, the first blocks one element longer
/// where it does not divide. Indices at and above `blocks` mean further copies of the vector, one after
/// another.
class Layout {
 public:
  Layout(std::size_t units, int blocks)
      : units_(units),
        blocks_(static_cast<std::size_t>(blocks)),
        base_(units / blocks_),
        longer_(units % blocks_) {}

  std::size_t units() const { return units_; }
  /// The first unit of a block; begin(b + 1) ends block b.
  std::size_t begin(int block) const {
    const auto index = static_cast<std::size_t>(block);
    const std::size_t place = index % blocks_;
    return index / blocks_ * units_ + place * base_ + std::min(place, longer_);
  }

 private:
  std::size_t units_, blocks_, base_, longer_;
};

}  // namespace tutti::runtime
