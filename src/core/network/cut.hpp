#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

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

  /// Cuts a vector into a shape's blocks as calls are cut; ranks' blocks have the shape's lengths.
  static Cut of(const Shape& shape, std::size_t bytes) {
    Cut cut(bytes, shape.blocks, element_bytes(shape.collective, bytes));
    if (shape.lengths != BlockLengths::equal) cut.take(lengths_of(shape.lengths, shape.ranks, bytes));
    return cut;
  }

  double mean() const { return mean_; }
  /// Whether there is something in some blocks, but not in all.
  bool has_empty_blocks() const {
    if (!before_.empty()) return std::ranges::adjacent_find(before_) != before_.end();
    return each_ == 0 && longer_ > 0;
  }
  /// Whether the longest block is at most some percent longer than the shortest.
  bool is_nearly_equal() const { return before_.empty() && (longer_ == 0 || each_ >= 32); }
  double bytes(const BlockRange& range) const {
    if (!before_.empty()) return bytes_before(range.first + range.count) - bytes_before(range.first);
    if (element_ == 0 || longer_ == 0) return range.count * mean_;
    return element_ * (range.count * static_cast<double>(each_) + longer_before(range.first + range.count) -
                       longer_before(range.first));
  }

 private:
  // Each rank's block, in as many pieces as there are blocks a rank.
  void take(const std::vector<std::size_t>& lengths) {
    const std::size_t pieces = static_cast<std::size_t>(blocks_) / lengths.size();
    before_ = {0};
    for (const std::size_t length : lengths)
      for (std::size_t piece = 0; piece < pieces; ++piece)
        before_.push_back(before_.back() +
                          static_cast<double>(length / pieces + (piece < length % pieces ? 1 : 0)));
  }
  double bytes_before(int block) const {
    return block / blocks_ * before_.back() + before_[static_cast<std::size_t>(block % blocks_)];
  }

  // Blocks beyond the last are as long as the first ones again.
  int longer_before(int block) const {
    return block / blocks_ * longer_ + std::min(block % blocks_, longer_);
  }

  double element_;
  int blocks_;
  double mean_;
  std::size_t each_ = 0;
  int longer_ = 0;
  std::vector<double> before_ = {};  // bytes before each block, and all; empty: as equal as can be
};

}  // namespace tutti::inline core
