#include "schedule/builder.hpp"

#include <algorithm>
#include <cassert>

namespace tutti {

Ranges cyclic(Buffer buffer, int first, int count, int modulus) {
  first = ((first % modulus) + modulus) % modulus;
  const int straight = std::min(count, modulus - first);
  return {BlockRange{buffer, first, straight}, BlockRange{buffer, 0, count - straight}};
}

void Builder::send(Rank to, const Ranges& what) {
  if (what.empty()) return;
  append({.kind = OperationKind::send, .peer = to, .tag = sent_[to]++}, what, {}, what);
}

void Builder::recv(Rank from, const Ranges& where) {
  if (where.empty()) return;
  append({.kind = OperationKind::recv, .peer = from, .tag = received_[from]++}, {}, where, where);
}

void Builder::reduce(BlockRange into, BlockRange from, OperandOrder order) {
  assert(into.count == from.count);
  if (into.count == 0) return;
  const BlockRange both[] = {into, from};
  // into_first may destroy `from`: a write as far as later readers are concerned.
  const std::span writes = order == OperandOrder::into_first ? std::span(both) : std::span(both).first(1);
  append({.kind = OperationKind::reduce, .order = order}, both, writes, both);
}

void Builder::copy(BlockRange into, BlockRange from) {
  assert(into.count == from.count);
  if (into.count == 0) return;
  const BlockRange both[] = {into, from};
  append({.kind = OperationKind::copy}, std::span(both).last(1), std::span(both).first(1), both);
}

void Builder::native(NativePhase phase, const Ranges& into, const Ranges& from) {
  const std::span<const BlockRange> writes = into;
  const std::span<const BlockRange> reads = from;
  assert(writes.size() <= 1 && reads.size() <= 1);
  std::vector<BlockRange> both{writes.empty() ? output(0, 0) : writes.front(),
                               reads.empty() ? input(0, 0) : reads.front()};
  const int index = static_cast<int>(part_.native_phases_.size());
  part_.native_phases_.push_back(std::move(phase));
  append({.kind = OperationKind::native, .peer = index}, reads, writes, both);
}

void Builder::next_round() {
  const auto size = static_cast<OperationId>(part_.operations_.size());
  if (round_begin_ == size) return;
  gate_.clear();
  for (OperationId id = round_begin_; id < size; ++id)
    if (!awaited_[static_cast<std::size_t>(id)]) gate_.push_back(id);
  round_begin_ = size;
}

OperationId Builder::append(Operation operation, std::span<const BlockRange> reads,
                            std::span<const BlockRange> writes, std::span<const BlockRange> ranges) {
  const auto id = static_cast<OperationId>(part_.operations_.size());
  std::vector<OperationId> after;
  for (const BlockRange& range : reads) hazards_.read(id, range, after);
  for (const BlockRange& range : writes) hazards_.write(id, range, after);

  // The gate stands for everything before this round; what already waits inside the round has passed it.
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  std::erase(after, id);  // an operation that reads and writes the same blocks
  std::erase_if(after, [this](OperationId earlier) { return !gate_.empty() && earlier < round_begin_; });
  if (after.empty()) after = gate_;

  operation.ranges_begin = static_cast<std::uint32_t>(part_.ranges_.size());
  operation.ranges_count = static_cast<std::uint32_t>(ranges.size());
  operation.after_begin = static_cast<std::uint32_t>(part_.after_.size());
  operation.after_count = static_cast<std::uint32_t>(after.size());
  part_.ranges_.insert(part_.ranges_.end(), ranges.begin(), ranges.end());
  part_.after_.insert(part_.after_.end(), after.begin(), after.end());
  part_.operations_.push_back(operation);
  awaited_.push_back(false);
  for (OperationId earlier : after) awaited_[static_cast<std::size_t>(earlier)] = true;
  for (const BlockRange& range : ranges)
    if (range.buffer == Buffer::scratch)
      part_.scratch_blocks_ = std::max(part_.scratch_blocks_, range.first + range.count);
  return id;
}

Part Builder::finish() && {
  return std::move(part_);
}

}  // namespace tutti
