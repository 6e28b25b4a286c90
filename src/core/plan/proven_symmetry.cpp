#include "core/plan/proven_symmetry.hpp"

#include <algorithm>
#include <array>

#include "core/plan/plan_symmetry.hpp"

namespace tutti::inline core {
namespace {

// Collectives in which no rank is another than the others.
bool has_alike_ranks(const Shape& shape) {
  switch (shape.collective) {
    case Collective::allgather:
    case Collective::alltoall:
      return true;
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
      return shape.commutative;
    default:
      return false;
  }
}

// Block by block, as a range may become several.
class Blocks {
 public:
  explicit Blocks(std::span<const BlockRange> ranges) : ranges_(ranges) {}

  // A range of one block; of none at the end.
  BlockRange next() {
    while (!ranges_.empty() && used_ == ranges_.front().count) {
      ranges_ = ranges_.subspan(1);
      used_ = 0;
    }
    if (ranges_.empty()) return {Buffer::input, 0, 0};
    return {ranges_.front().buffer, ranges_.front().first + used_++, 1};
  }

 private:
  std::span<const BlockRange> ranges_;
  int used_ = 0;
};

// Whether the move that takes a rank from its representative takes that one's part to its own.
class Comparison {
 public:
  Comparison(const Shape& shape, const Symmetry& symmetry, Rank rank)
      : shape_(shape), symmetry_(symmetry), rank_(rank) {}

  bool holds(const Part& representative, const Part& own) const {
    const auto& theirs = representative.operations();
    return representative.native_phases().empty() && own.native_phases().empty() && is_within_scratch(own) &&
           std::equal(theirs.begin(), theirs.end(), own.operations().begin(), own.operations().end(),
                      [&](const Operation& a, const Operation& b) {
                        return same(a, b) && std::ranges::equal(representative.after(a), own.after(b)) &&
                               (is_message(a.kind) ? same(representative.ranges(a), own.ranges(b))
                                                   : same_pairs(representative.ranges(a), own.ranges(b)));
                      });
  }

 private:
  static bool is_within_scratch(const Part& part) {
    return std::ranges::all_of(part.operations(), [&](const Operation& operation) {
      return std::ranges::all_of(part.ranges(operation), [&](const BlockRange& range) {
        return range.buffer != Buffer::scratch || range.first + range.count <= part.scratch_blocks();
      });
    });
  }

  bool same(const Operation& a, const Operation& b) const {
    return a.kind == b.kind && a.order == b.order && a.tag == b.tag && a.memory == b.memory &&
           (!is_message(a.kind) || moved(a.peer) == b.peer);
  }

  bool same(std::span<const BlockRange> a, std::span<const BlockRange> b) const {
    Blocks theirs(a), own(b);
    for (;;) {
      const BlockRange from = theirs.next(), to = own.next();
      if (from.count == 0 || to.count == 0) return from.count == to.count;
      if (from.buffer != to.buffer || moved(from.buffer, from.first) != to.first) return false;
    }
  }

  // What is only combined or copied on a rank may be so in any order: into and from, by block.
  bool same_pairs(std::span<const BlockRange> a, std::span<const BlockRange> b) const {
    const auto pairs = [](std::span<const BlockRange> ranges, auto&& place) {
      std::vector<std::array<int, 4>> all;
      for (int block = 0; block < ranges.front().count; ++block) {
        const auto at = [&](const BlockRange& range) { return place(range.buffer, range.first + block); };
        all.push_back({static_cast<int>(ranges.front().buffer), at(ranges.front()),
                       static_cast<int>(ranges.back().buffer), at(ranges.back())});
      }
      std::sort(all.begin(), all.end());
      return all;
    };
    return a.size() == b.size() && pairs(a, [this](Buffer buffer, int block) {
                                     return moved(buffer, block);
                                   }) == pairs(b, [](Buffer, int block) { return block; });
  }

  Rank moved(Rank other) const { return symmetry_.moved_back(other, rank_, shape_.ranks); }

  // Copies of the vector in scratch have its blocks; an alltoall's scratch has room for any.
  int moved(Buffer buffer, int block) const {
    if (!symmetry_.with_blocks || (buffer == Buffer::scratch && shape_.collective == Collective::alltoall))
      return block;
    const int first = block / shape_.blocks * shape_.blocks;
    return first + symmetry_.block_moved_back(block - first, rank_, shape_.ranks, shape_.blocks);
  }

  const Shape& shape_;
  const Symmetry& symmetry_;
  Rank rank_;
};

bool is_exact(const Plan& plan, const Shape& shape, const Symmetry& symmetry) {
  std::vector<Part> representatives;
  for (Rank rank = 0; rank < symmetry.classes; ++rank) representatives.push_back(generate(plan, shape, rank));
  for (Rank rank = symmetry.classes; rank < shape.ranks; ++rank)
    if (!Comparison(shape, symmetry, rank)
             .holds(representatives[static_cast<std::size_t>(symmetry.representative(rank))],
                    generate(plan, shape, rank)))
      return false;
  return true;
}

}  // namespace

bool is_that_of_root_0_moved(const Schedule& of_root_0, const Schedule& schedule) {
  const Shape& shape = schedule.shape;
  // The move that takes rank 0 to the root.
  const Symmetry by_root{Symmetry::Move::rotation, 1, has_block_a_rank(shape.collective)};
  const Comparison comparison(shape, by_root, shape.root);
  const auto ranks = static_cast<std::size_t>(shape.ranks);  // and no parts that stand for others
  if (shape.blocks != of_root_0.shape.blocks || of_root_0.parts.size() != ranks ||
      schedule.parts.size() != ranks)
    return false;
  for (Rank rank = 0; rank < shape.ranks; ++rank)
    if (!comparison.holds(of_root_0.parts[static_cast<std::size_t>(rank)],
                          schedule.parts[static_cast<std::size_t>((rank + shape.root) % shape.ranks)]))
      return false;
  return true;
}

std::optional<Symmetry> proven_symmetry(const Plan& plan, const Shape& shape) {
  if (!has_alike_ranks(shape)) return std::nullopt;
  const Network alike = Network::uniform({.alpha = 1, .beta = 1});
  Symmetry found = find_symmetry(plan, shape, alike);
  if (found.move == Symmetry::Move::none) return std::nullopt;
  for (const bool with_blocks : {true, false}) {
    if (with_blocks ? shape.blocks % shape.ranks != 0 : has_block_a_rank(shape.collective)) continue;
    found.with_blocks = with_blocks;
    if (is_exact(plan, shape, found)) return found;
  }
  return std::nullopt;
}

}  // namespace tutti::inline core
