#include "core/schedule/conflicts.hpp"

#include <algorithm>

namespace tutti::inline core {
namespace {

// The earlier operations that each operation waits for, directly or not, as rows of bits.
class Ancestors {
 public:
  explicit Ancestors(const Part& part)
      : words_((part.operations().size() + 63) / 64), bits_(words_ * part.operations().size()) {
    for (std::size_t id = 0; id < part.operations().size(); ++id)
      for (const OperationId earlier : part.after(part.operations()[id])) {
        const auto from = static_cast<std::size_t>(earlier);
        for (std::size_t w = 0; w <= from / 64; ++w) bits_[id * words_ + w] |= bits_[from * words_ + w];
        bits_[id * words_ + from / 64] |= std::uint64_t{1} << (from % 64);
      }
  }
  bool ordered(OperationId earlier, OperationId later) const {
    const auto from = static_cast<std::size_t>(earlier);
    return (bits_[static_cast<std::size_t>(later) * words_ + from / 64] >> (from % 64)) & 1;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace

std::vector<BlockRange> read_ranges(const Part& part, const Operation& operation) {
  const auto ranges = part.ranges(operation);
  switch (operation.kind) {
    case OperationKind::send:
    case OperationKind::reduce:
      return {ranges.begin(), ranges.end()};
    case OperationKind::recv:
    case OperationKind::clear:
      return {};
    case OperationKind::copy:
      return {ranges[1]};
    case OperationKind::native:
      return all_ranges(part.native_phase(operation).from);
  }
  return {};
}

std::vector<BlockRange> written_ranges(const Part& part, const Operation& operation) {
  const auto ranges = part.ranges(operation);
  switch (operation.kind) {
    case OperationKind::send:
      return {};
    case OperationKind::recv:
    case OperationKind::clear:
      return {ranges.begin(), ranges.end()};
    case OperationKind::reduce:
      if (operation.order == OperandOrder::into_first) return {ranges[0], ranges[1]};
      return {ranges[0]};
    case OperationKind::copy:
      return {ranges[0]};
    case OperationKind::native:
      return all_ranges(part.native_phase(operation).into);
  }
  return {};
}

std::vector<Conflict> find_conflicts(const Part& part, bool in_place) {
  struct Accesses {
    OperationId writer = -1;
    std::vector<OperationId> readers;
  };
  // All blocks the part touches, buffer after buffer.
  int ends[3] = {0, 0, 0};
  for (const Operation& operation : part.operations())
    for (const BlockRange& range : part.ranges(operation)) {
      int& end = ends[static_cast<int>(range.buffer)];
      end = std::max(end, range.first + range.count);
    }
  const int outputs = in_place ? 0 : ends[0];
  const int scratches = std::max(ends[0], outputs + ends[1]);
  std::vector<Accesses> blocks(static_cast<std::size_t>(scratches + ends[2]));
  const auto place = [&](Buffer buffer, int block) -> Accesses& {
    const int base = buffer == Buffer::input ? 0 : buffer == Buffer::output ? outputs : scratches;
    return blocks[static_cast<std::size_t>(base + block)];
  };
  const Ancestors ancestors(part);
  std::vector<Conflict> conflicts;
  const auto demand = [&](OperationId earlier, OperationId later, int block) {
    if (earlier >= 0 && earlier != later && !ancestors.ordered(earlier, later))
      conflicts.push_back({earlier, later, block});
  };
  for (OperationId id = 0; id < static_cast<OperationId>(part.operations().size()); ++id) {
    const Operation& operation = part[id];
    const auto ranges = part.ranges(operation);
    if (in_place && operation.kind == OperationKind::copy && ranges[0].first == ranges[1].first &&
        ranges[0].buffer != Buffer::scratch && ranges[1].buffer != Buffer::scratch)
      continue;  // a block copied onto itself: nothing happens
    for (const BlockRange& range : read_ranges(part, operation))
      for (int i = 0; i < range.count; ++i) {
        Accesses& accesses = place(range.buffer, range.first + i);
        demand(accesses.writer, id, range.first + i);
        accesses.readers.push_back(id);
      }
    for (const BlockRange& range : written_ranges(part, operation))
      for (int i = 0; i < range.count; ++i) {
        Accesses& accesses = place(range.buffer, range.first + i);
        for (const OperationId reader : accesses.readers) demand(reader, id, range.first + i);
        if (accesses.readers.empty()) demand(accesses.writer, id, range.first + i);
        accesses.writer = id;
        accesses.readers.clear();
      }
  }
  return conflicts;
}

}  // namespace tutti::inline core
