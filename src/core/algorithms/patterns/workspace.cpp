#include "core/algorithms/patterns/workspace.hpp"

#include <algorithm>

namespace tutti::inline core {

Ranges Vector::at(const Ranges& blocks) const {
  Ranges placed;
  for (const BlockRange& range : blocks) placed.add(at(range.first, range.count));
  return placed;
}

Ranges Vector::cyclic(int block, int count, int modulus) const {
  block = ((block % modulus) + modulus) % modulus;
  const int straight = std::min(count, modulus - block);
  return {at(block, straight), at(0, count - straight)};
}

Workspace workspace(const Builder& b) {
  const Collective collective = b.shape().collective;
  const bool has_output = collective == Collective::allreduce || collective == Collective::scan ||
                          collective == Collective::exscan ||
                          (collective == Collective::reduce && b.rank() == b.root());
  return {has_output ? Vector{Buffer::output} : Vector{Buffer::scratch, b.blocks()}, {Buffer::scratch}};
}

}  // namespace tutti::inline core
