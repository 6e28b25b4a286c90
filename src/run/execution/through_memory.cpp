#include "run/execution/through_memory.hpp"

#include <algorithm>

#include "run/execution/constants.hpp"

namespace tutti::run {
namespace {

// Some memory that an instruction works on.
struct Stretch {
  Buffer buffer;
  std::ptrdiff_t begin;
  std::size_t bytes;

  // Input and output may be the same memory.
  bool overlaps(const Stretch& other) const {
    return (buffer == Buffer::scratch) == (other.buffer == Buffer::scratch) &&
           begin < other.begin + static_cast<std::ptrdiff_t>(other.bytes) &&
           other.begin < begin + static_cast<std::ptrdiff_t>(bytes);
  }
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

Stretch into(const Instruction& i) {
  return {i.into_buffer, i.into, i.bytes};
}
Stretch from(const Instruction& i) {
  return {i.from_buffer, i.from, i.bytes};
}

class Shortener {
 public:
  Shortener(std::span<Instruction> instructions, std::span<const Wave> waves, const Unit& unit,
            std::size_t lends_from)
      : all_(instructions), waves_(waves), unit_(unit), lends_from_(lends_from) {}

  // In waves, where nothing else touches what a reduction goes into meanwhile but a send of just
  // that through memory.
  void combine_on_arrival() {
    if (unit_.whole || !unit_.contiguous || unit_.size > execution::largest_combined) return;
    if (std::any_of(all_.begin(), all_.end(),
                    [](const Instruction& i) { return i.kind == OperationKind::native; }))
      return;
    for (std::size_t w = 0; w + 1 < waves_.size(); ++w)
      for (Instruction& receive : wave(w))
        if (receive.kind == OperationKind::recv && receive.channel != HostMemory::none &&
            receive.into_buffer == Buffer::scratch)
          combine(receive, w);
  }

  void find_the_same() {
    for (std::size_t w = 0; w < waves_.size(); ++w) {
      const auto here = wave(w);
      for (Instruction& i : here) {
        if (!can_be_posted(i)) continue;
        const auto same = [&](const Instruction& other) {
          return can_be_posted(other) && into(other) == into(i);
        };
        i.alike = static_cast<std::uint32_t>(std::count_if(here.begin(), here.end(), same));
        if (i.alike < 2) continue;
        i.first = static_cast<std::uint32_t>(&*std::find_if(here.begin(), here.end(), same) - all_.data());
      }
    }
  }

  void find_time() {
    for (std::size_t w = 0; w < waves_.size(); ++w) {
      const auto here = wave(w);
      const bool receives = std::any_of(here.begin(), here.end(),
                                        [](const Instruction& i) { return i.kind == OperationKind::recv; });
      for (Instruction& i : here) i.has_time = !receives;
    }
  }

 private:
  std::span<Instruction> wave(std::size_t number) const {
    const std::uint32_t begin = number == 0 ? 0 : waves_[number - 1].end;
    return all_.subspan(begin, waves_[number].end - begin);
  }

  void combine(Instruction& receive, std::size_t w) {
    Instruction* const reduction = first_reduction_of(receive, wave(w + 1));
    if (!reduction || !is_for_reductions_only(into(receive))) return;
    Instruction* behind = nullptr;
    if (!is_left_alone(into(*reduction), receive, wave(w), behind)) return;
    // What can be lent arrives sooner if it is, than in pieces that keep behind one another.
    if (behind && receive.bytes >= lends_from_) return;
    receive.from_buffer = receive.into_buffer;
    receive.from = receive.into;
    receive.into_buffer = reduction->into_buffer;
    receive.into = reduction->into;
    receive.combines = true;
    receive.behind = behind ? static_cast<std::uint32_t>(behind - all_.data()) : Instruction::none;
    if (behind) behind->combines = true;
    *reduction = Instruction::nothing_to_do();
  }

  bool can_be_posted(const Instruction& i) const {
    return unit_.contiguous && i.kind == OperationKind::send && i.channel != HostMemory::none && !i.combines;
  }

  // The pieces of a message under a datatype of its own may lie anywhere in the buffer.
  bool touches(const Instruction& i, const Stretch& stretch) const {
    if (is_message(i.kind) && i.channel == HostMemory::none && i.type != unit_.type)
      return (i.into_buffer == Buffer::scratch) == (stretch.buffer == Buffer::scratch);
    const bool has_from = i.kind == OperationKind::reduce || i.kind == OperationKind::copy ||
                          (i.kind == OperationKind::recv && i.combines);
    return into(i).overlaps(stretch) || (has_from && from(i).overlaps(stretch));
  }

  // The reduction in the local work behind a wave that takes just what was received, before
  // anything else touches what it goes into: so the order of operands stays.
  Instruction* first_reduction_of(const Instruction& receive, std::span<Instruction> behind) const {
    const auto takes_it = [&](const Instruction& i) {
      return i.kind == OperationKind::reduce && from(i) == into(receive);
    };
    const auto found = std::find_if(behind.begin(), behind.end(), takes_it);
    if (found == behind.end()) return nullptr;
    if (found->order != OperandOrder::from_first && !unit_.commutative) return nullptr;
    const Stretch target = into(*found);
    if (std::any_of(behind.begin(), found, [&](const Instruction& i) { return touches(i, target); }))
      return nullptr;
    return &*found;
  }

  // Whether a place in scratch is for messages only that are each taken by one reduction.
  bool is_for_reductions_only(const Stretch& place) const {
    long received = 0, taken = 0;
    for (const Instruction& i : all_) {
      if (!touches(i, place)) continue;
      if (i.kind == OperationKind::recv && !i.combines && into(i) == place)
        ++received;
      else if (i.kind == OperationKind::reduce && from(i) == place && !into(i).overlaps(place))
        ++taken;
      else if (!(i.kind == OperationKind::recv && i.combines && from(i) == place && !into(i).overlaps(place)))
        return false;
    }
    return received == taken;
  }

  // Whether no other message of the wave touches what a reduction goes into, but a send of just
  // that.
  bool is_left_alone(const Stretch& target, const Instruction& receive, std::span<Instruction> here,
                     Instruction*& behind) const {
    for (Instruction& other : here) {
      if (&other == &receive || !is_message(other.kind) || !touches(other, target)) continue;
      const bool sends_just_that = other.kind == OperationKind::send && other.channel != HostMemory::none &&
                                   other.into == target.begin && other.bytes == target.bytes;
      if (!sends_just_that || behind) return false;
      behind = &other;
    }
    return true;
  }

  std::span<Instruction> all_;
  std::span<const Wave> waves_;
  const Unit& unit_;
  std::size_t lends_from_;
};

}  // namespace

void shorten_ways_through_memory(std::span<Instruction> instructions, std::span<const Wave> waves,
                                 const Unit& unit, std::size_t lends_from) {
  Shortener shortener(instructions, waves, unit, lends_from);
  shortener.combine_on_arrival();
  shortener.find_the_same();
  shortener.find_time();
}

}  // namespace tutti::run
