#pragma once

#include <algorithm>
#include <cstddef>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// Bytes of an element in a call of `bytes` bytes in all, as programs mostly have them: reductions
/// are of doubles where that goes. 0 where calls can't but have equal blocks.
inline std::size_t element_bytes(Collective collective, std::size_t bytes) {
  if (traits(collective).size_means == SizeMeans::block || collective == Collective::reduce_scatter_block)
    return 0;
  return traits(collective).reduces && bytes % sizeof(double) == 0 ? sizeof(double) : 1;
}

/// How a vector is cut into blocks: all of whole elements, the first ones one longer where it does
/// not divide.
class Cut {
 public:
  /// Cuts into elements of `element` bytes; 0: into exactly equal blocks, of fractions of bytes if
  /// need be.
  Cut(std::size_t bytes, int blocks, std::size_t element)
      : element_(static_cast<double>(element)), blocks_(blocks), mean_(static_cast<double>(bytes) / blocks) {
    if (element == 0) return;
    const std::size_t elements = bytes / element;
    each_ = elements / static_cast<std::size_t>(blocks);
    longer_ = static_cast<int>(elements % static_cast<std::size_t>(blocks));
  }

  double mean() const { return mean_; }
  /// Whether there is something in some blocks, but not in all.
  bool has_empty_blocks() const { return each_ == 0 && longer_ > 0; }
  /// Whether the longest block is at most some percent longer than the shortest.
  bool is_nearly_equal() const { return longer_ == 0 || each_ >= 32; }
  double bytes(const BlockRange& range) const {
    if (element_ == 0 || longer_ == 0) return range.count * mean_;
    return element_ * (range.count * static_cast<double>(each_) + longer_before(range.first + range.count) -
                       longer_before(range.first));
  }

 private:
  // Blocks beyond the last are as long as the first ones again.
  int longer_before(int block) const {
    return block / blocks_ * longer_ + std::min(block % blocks_, longer_);
  }

  double element_;
  int blocks_;
  double mean_;
  std::size_t each_ = 0;
  int longer_ = 0;
};

}  // namespace tutti::inline core
