#include "core/schedule/builder.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace tutti::inline core {
namespace {

// Two lists of equally many blocks, cut where one of the two is.
std::vector<std::pair<BlockRange, BlockRange>> cut_alike(const Ranges& into, const Ranges& from) {
  std::vector<std::pair<BlockRange, BlockRange>> pairs;
  int done_into = 0, done_from = 0;
  for (auto i = into.begin(), j = from.begin(); i != into.end() && j != from.end();) {
    const int now = std::min(i->count - done_into, j->count - done_from);
    pairs.push_back({{i->buffer, i->first + done_into, now}, {j->buffer, j->first + done_from, now}});
    if ((done_into += now) == i->count) ++i, done_into = 0;
    if ((done_from += now) == j->count) ++j, done_from = 0;
  }
  return pairs;
}

}  // namespace

Ranges cyclic(Buffer buffer, int first, int count, int modulus) {
  first = ((first % modulus) + modulus) % modulus;
  const int straight = std::min(count, modulus - first);
  return {BlockRange{buffer, first, straight}, BlockRange{buffer, 0, count - straight}};
}

OperationId Builder::send(Rank to, const Ranges& what, std::span<const OperationId> after) {
  if (what.empty()) return -1;
  further_.insert(further_.end(), after.begin(), after.end());
  append({.kind = OperationKind::send, .peer = to, .tag = sent_[to]++, .memory = memory_}, what, {}, what);
  further_.clear();
  return static_cast<OperationId>(part_.operations_.size()) - 1;
}

void Builder::recv(Rank from, const Ranges& where) {
  if (where.empty()) return;
  append({.kind = OperationKind::recv, .peer = from, .tag = received_[from]++, .memory = memory_}, {}, where,
         where);
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
  if (into.count == 0 || into == from) return;
  const BlockRange both[] = {into, from};
  append({.kind = OperationKind::copy}, std::span(both).last(1), std::span(both).first(1), both);
}

void Builder::copy(const Ranges& into, const Ranges& from) {
  for (const auto& [to, source] : cut_alike(into, from)) copy(to, source);
}

void Builder::clear(BlockRange what) {
  if (what.count == 0) return;
  append({.kind = OperationKind::clear}, {}, {&what, 1}, {&what, 1});
}

void Builder::native(NativePhase phase) {
  // The root of a scatter may keep its block where it is.
  if (phase.collective == Collective::scatter)
    for (std::size_t block = 0; block < phase.into.size(); ++block)
      if (phase.into[block] == phase.from[block]) phase.into[block] = {};
  const std::vector<BlockRange> writes = all_ranges(phase.into), reads = all_ranges(phase.from);
  std::vector<BlockRange> both = writes;
  both.insert(both.end(), reads.begin(), reads.end());
  const int index = static_cast<int>(part_.native_phases_.size());
  const bool in_memory = phase.in_memory;
  part_.native_phases_.push_back(std::move(phase));
  next_round();
  append({.kind = OperationKind::native, .peer = index, .memory = in_memory}, reads, writes, both);
  next_round();
}

void Builder::include(const Part& part, const Embedding& as) {
  const auto place = [&](std::span<const BlockRange> ranges) {
    Ranges here;
    for (const BlockRange& range : ranges) here.add(as.place(range));
    return here;
  };
  // After which of ours each of its operations is complete: all lists in a row, and where they end.
  std::vector<OperationId> ends, earlier;
  std::vector<std::size_t> end_of;
  const auto ends_of = [&](OperationId id) {
    const std::size_t begin = id == 0 ? 0 : end_of[static_cast<std::size_t>(id) - 1];
    return std::span(ends).subspan(begin, end_of[static_cast<std::size_t>(id)] - begin);
  };
  const bool memory = memory_;
  for (const Operation& op : part.operations()) {
    earlier.clear();
    for (const OperationId id : part.after(op)) {
      const auto end = ends_of(id);
      earlier.insert(earlier.end(), end.begin(), end.end());
    }
    const auto first = static_cast<OperationId>(part_.operations_.size());
    memory_ = memory || op.memory;
    const auto with_order = [&](auto&& add) {
      further_ = earlier;
      add();
      further_.clear();
    };
    const auto ranges = part.ranges(op);
    switch (op.kind) {
      case OperationKind::send:
        with_order([&] { send(as.rank(op.peer), place(ranges)); });
        break;
      case OperationKind::recv:
        with_order([&] { recv(as.rank(op.peer), place(ranges)); });
        break;
      case OperationKind::reduce:
      case OperationKind::copy:
        for (const auto& [into, from] : cut_alike(place(ranges.first(1)), place(ranges.last(1))))
          with_order([&, to = into, source = from] {
            op.kind == OperationKind::reduce ? reduce(to, source, op.order) : copy(to, source);
          });
        break;
      case OperationKind::clear:
        for (const BlockRange& range : place(ranges)) with_order([&] { clear(range); });
        break;
      case OperationKind::native: {
        NativePhase phase = part.native_phase(op);
        for (Rank& rank : phase.group) rank = as.rank(rank);
        for (auto* list : {&phase.into, &phase.from})
          for (Ranges& block : *list) block = place(std::span<const BlockRange>(block.begin(), block.end()));
        native(std::move(phase));
        break;
      }
    }
    const auto behind = static_cast<OperationId>(part_.operations_.size());
    if (first == behind) ends.insert(ends.end(), earlier.begin(), earlier.end());
    for (auto id = first; id < behind; ++id) ends.push_back(id);
    end_of.push_back(ends.size());
  }
  memory_ = memory;
}

void Builder::next_round() {
  const auto size = static_cast<OperationId>(part_.operations_.size());
  if (round_begin_ == size) return;
  gate_.clear();
  for (OperationId id = round_begin_; id < size; ++id)
    if (!awaited_[static_cast<std::size_t>(id)]) gate_.push_back(id);
  round_begin_ = size;
}

void Builder::next_phase() {
  const auto size = static_cast<OperationId>(part_.operations_.size());
  if (phase_begin_ == size || phase_ == std::numeric_limits<std::uint8_t>::max()) return;
  ++phase_;
  phase_begin_ = size;
}

void Builder::append(Operation operation, std::span<const BlockRange> reads,
                     std::span<const BlockRange> writes, std::span<const BlockRange> ranges) {
  const auto id = static_cast<OperationId>(part_.operations_.size());
  std::vector<OperationId>& after = after_;
  after = further_;
  for (const BlockRange& range : reads) hazards_.read(id, range, after);
  for (const BlockRange& range : writes) hazards_.write(id, range, after);

  // The gate stands for everything before this round; what already waits inside the round has
  // passed it.
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  std::erase(after, id);  // an operation that reads and writes the same blocks
  std::erase_if(after, [this](OperationId earlier) { return !gate_.empty() && earlier < round_begin_; });
  if (after.empty()) after = gate_;

  operation.phase = phase_;
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
}

Part Builder::finish() && {
  return std::move(part_);
}

}  // namespace tutti::inline core
