#include "core/schedule/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/schedule/arrivals.hpp"
#include "core/schedule/conflicts.hpp"
#include "core/schedule/messages.hpp"
#include "core/schedule/render.hpp"
#include "core/schedule/semantics.hpp"

namespace tutti::inline core {
namespace {

// One rank's buffers, block by block.
class Memory {
 public:
  Memory(const Shape& shape, int scratch_blocks, bool in_place)
      : output_at_(in_place ? 0 : shape.blocks),
        scratch_at_(output_at_ + shape.blocks),
        blocks_(static_cast<std::size_t>(scratch_at_ + scratch_blocks), undefined_value) {}

  ValueId& at(Buffer buffer, int block) {
    const int base = buffer == Buffer::input ? 0 : buffer == Buffer::output ? output_at_ : scratch_at_;
    return blocks_[static_cast<std::size_t>(base + block)];
  }

 private:
  int output_at_, scratch_at_;
  std::vector<ValueId> blocks_;
};

class Verifier {
 public:
  Verifier(const Schedule& schedule, Conditions conditions, std::size_t limit)
      : schedule_(schedule),
        shape_(schedule.shape),
        conditions_(conditions),
        limit_(limit),
        values_(conditions.fixed_order) {}

  std::vector<Violation> run() {
    check_ranges();
    if (found_.empty()) find_conflicts();
    if (found_.empty()) match_messages();
    if (found_.empty()) simulate();
    if (found_.empty()) check_results();
    if (found_.empty() && shape_.collective == Collective::barrier)
      for (const Arrival& missed : missed_arrivals(schedule_))
        report({missed.leaver, -1}, -1, fmt::format("may leave before rank {} has come", missed.comer));
    return std::move(found_);
  }

 private:
  const Part& part(Rank rank) const { return schedule_.parts[static_cast<std::size_t>(rank)]; }
  const Operation& operation(OperationRef ref) const { return part(ref.rank)[ref.id]; }
  bool full() const { return found_.size() >= limit_; }

  void report(OperationRef at, int block, const std::string& what) {
    if (full()) return;
    const std::string where = at.id < 0 ? fmt::format("rank {}, result", at.rank)
                                        : fmt::format("rank {}, operation {} ({})", at.rank, at.id,
                                                      describe(part(at.rank), operation(at)));
    found_.push_back({at.rank, at.id, block,
                      block < 0 ? fmt::format("{}: {}", where, what)
                                : fmt::format("{}, block {}: {}", where, block, what)});
  }

  // Number of ranks that stand for all; that of all ranks where there is no symmetry.
  Rank ranks() const { return static_cast<Rank>(schedule_.parts.size()); }
  Rank representative(Rank rank) const { return schedule_.symmetry.representative(rank); }

  void for_each_operation(auto&& visit) {
    for (Rank rank = 0; rank < ranks(); ++rank)
      for (OperationId id = 0; id < static_cast<OperationId>(part(rank).operations().size()); ++id)
        visit(OperationRef{rank, id});
  }

  // Ranges lie inside their buffers, peers and earlier operations exist, inputs are only read.
  void check_ranges() {
    for_each_operation([&](OperationRef ref) {
      const Operation& op = operation(ref);
      if (is_message(op.kind))
        if (op.peer < 0 || op.peer >= shape_.ranks || op.peer == ref.rank)
          report(ref, -1, fmt::format("there is no such peer among {} ranks", shape_.ranks));
      for (const BlockRange& range : part(ref.rank).ranges(op)) {
        const int end = range.buffer == Buffer::scratch ? part(ref.rank).scratch_blocks() : shape_.blocks;
        if (range.first < 0 || range.count < 0 || range.first + range.count > end)
          report(ref, range.first, fmt::format("the buffer has {} blocks", end));
        else if (range.buffer != Buffer::scratch)
          check_presence(ref, range);
      }
      if (op.kind == OperationKind::native) check_overlap(ref);
      for (const BlockRange& range : written_ranges(part(ref.rank), op))
        if (range.buffer == Buffer::input && range.count > 0) report(ref, range.first, "writes the input");
      for (const OperationId earlier : part(ref.rank).after(op))
        if (earlier < 0 || earlier >= ref.id)
          report(ref, -1, fmt::format("waits for operation {}, which is not before it", earlier));
    });
  }

  // MPI allows no rank to give and get in the same memory, but for MPI_IN_PLACE, which these two
  // have not in a form that serves here.
  void check_overlap(OperationRef ref) {
    const NativePhase& phase = part(ref.rank).native_phase(operation(ref));
    if (phase.collective != Collective::reduce_scatter_block && phase.collective != Collective::alltoall)
      return;
    const auto memory = [&](const BlockRange& range) {
      return conditions_.in_place && range.buffer == Buffer::input ? Buffer::output : range.buffer;
    };
    for (const BlockRange& into : all_ranges(phase.into))
      for (const BlockRange& from : all_ranges(phase.from))
        if (memory(into) == memory(from) && into.first < from.first + from.count &&
            from.first < into.first + into.count)
          report(ref, into.first, "the native phase gets where it gives");
  }

  void check_presence(OperationRef ref, const BlockRange& range) {
    for (int block = range.first; block < range.first + range.count; ++block)
      if (!is_present(shape_, ref.rank, range.buffer, block))
        return report(ref, block, "the caller has no such block on this rank");
  }

  void find_conflicts() {
    for (Rank rank = 0; rank < ranks() && !full(); ++rank)
      for (const Conflict& conflict : tutti::find_conflicts(part(rank), conditions_.in_place))
        report({rank, conflict.later}, conflict.block,
               fmt::format("may overlap with operation {} ({}) on the same block", conflict.earlier,
                           describe(part(rank), part(rank)[conflict.earlier])));
  }

  // Every message has to be known to both sides, as large on both.
  void match_messages() {
    partner_ = tutti::match_messages(schedule_);
    for_each_operation([&](OperationRef ref) {
      const Operation& op = operation(ref);
      if (op.kind != OperationKind::send && op.kind != OperationKind::recv) return;
      const bool receives = op.kind == OperationKind::recv;
      if (partner(ref) == no_partner)
        return report(ref, -1, receives ? "nobody sends this message" : "nobody receives this message");
      const OperationRef send{representative(op.peer), partner(ref)};
      if (receives && block_count(send) != block_count(ref))
        report(ref, -1,
               fmt::format("expects {} blocks, but rank {} sends {} (operation {})", block_count(ref),
                           send.rank, block_count(send), send.id));
      if (receives && operation(send).memory != op.memory)
        report(ref, -1,
               fmt::format("is received {} memory, but rank {} sends it {} (operation {})",
                           op.memory ? "through" : "outside", send.rank, op.memory ? "outside" : "through",
                           send.id));
    });
  }

  OperationId& partner(OperationRef ref) {
    return partner_[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)];
  }

  int block_count(OperationRef ref) const {
    int count = 0;
    for (const BlockRange& range : part(ref.rank).ranges(operation(ref))) count += range.count;
    return count;
  }

  // Runs everything as soon as it may, every send synchronously. What can't start in the end is a
  // deadlock.
  void simulate() {
    for (Rank rank = 0; rank < ranks(); ++rank) prepare(rank);
    meetings_ = match_native_phases(schedule_);
    arrived_.resize(meetings_.members.size());
    std::deque<OperationRef> ready;
    for_each_operation([&](OperationRef ref) {
      if (state(ref).waiting_for == 0) ready.push_back(ref);
    });
    while (!ready.empty() && !full()) {
      const OperationRef ref = ready.front();
      ready.pop_front();
      for (const OperationRef done : start(ref)) finish(done, ready);
    }
    if (full()) return;
    for_each_operation([&](OperationRef ref) {
      if (state(ref).done) return;
      const std::string why =
          state(ref).started ? "never completes: its partner is never reached"
          : state(ref).waiting_for > 0
              ? fmt::format("never starts: {} earlier operations never complete", state(ref).waiting_for)
              : "never completes";
      report(ref, -1, "deadlock: " + why);
    });
  }

  void prepare(Rank rank) {
    const Part& mine = part(rank);
    Memory& memory = memories_.emplace_back(shape_, mine.scratch_blocks(), conditions_.in_place);
    for (const Buffer buffer : {Buffer::input, Buffer::output})
      for (int block = 0; block < shape_.blocks; ++block)
        if (const ValueId value = initial_value(shape_, rank, buffer, block, values_))
          memory.at(buffer, block) = value;
    auto& states = states_.emplace_back(mine.operations().size());
    for_each_wait(mine, [&states](OperationId earlier, OperationId later) {
      ++states[static_cast<std::size_t>(later)].waiting_for;
      ++states[static_cast<std::size_t>(earlier)].successors_end;
    });
    std::uint32_t end = 0;
    for (State& state : states) {
      const std::uint32_t count = state.successors_end;
      state.successors_begin = state.successors_end = end;
      end += count;
    }
    auto& successors = successors_.emplace_back(end);
    for_each_wait(mine, [&](OperationId earlier, OperationId later) {
      successors[states[static_cast<std::size_t>(earlier)].successors_end++] = later;
    });
  }

  // Calls visit(earlier, later) for all that an operation has to wait for.
  void for_each_wait(const Part& mine, auto&& visit) const {
    OperationId last_send = -1, last_receive = -1;
    for (OperationId id = 0; id < static_cast<OperationId>(mine.operations().size()); ++id) {
      for (const OperationId earlier : mine.after(mine[id])) visit(earlier, id);
      const OperationKind kind = mine[id].kind;
      if (!conditions_.one_at_a_time || !is_message(kind)) continue;
      OperationId& last = kind == OperationKind::send ? last_send : last_receive;
      if (last >= 0) visit(last, id);
      last = id;
    }
  }

  // Starts an operation; returns what completed by that.
  std::vector<OperationRef> start(OperationRef ref) {
    const Operation& op = operation(ref);
    state(ref).started = true;
    switch (op.kind) {
      case OperationKind::send:
      case OperationKind::recv: {
        const OperationRef other{representative(op.peer), partner(ref)};
        if (!state(other).started) return {};
        op.kind == OperationKind::send ? transfer(ref, other) : transfer(other, ref);
        return {ref, other};
      }
      case OperationKind::copy:
        copy(ref);
        return {ref};
      case OperationKind::reduce:
        reduce(ref);
        return {ref};
      case OperationKind::clear:
        clear(ref);
        return {ref};
      case OperationKind::native:
        return start_native(ref);
    }
    return {};
  }

  void finish(OperationRef ref, std::deque<OperationRef>& ready) {
    state(ref).done = true;
    const auto& successors = successors_[static_cast<std::size_t>(ref.rank)];
    for (std::uint32_t i = state(ref).successors_begin; i < state(ref).successors_end; ++i)
      if (--state({ref.rank, successors[i]}).waiting_for == 0) ready.push_back({ref.rank, successors[i]});
  }

  std::vector<ValueId> read(OperationRef ref, std::span<const BlockRange> ranges) {
    std::vector<ValueId> result;
    for (const BlockRange& range : ranges)
      for (int i = 0; i < range.count; ++i) {
        const ValueId value = memories_[static_cast<std::size_t>(ref.rank)].at(range.buffer, range.first + i);
        if (value == undefined_value) report(ref, range.first + i, "reads a block that nothing has written");
        result.push_back(value);
      }
    return result;
  }

  void write(OperationRef ref, std::span<const BlockRange> ranges, std::span<const ValueId> what) {
    std::size_t next = 0;
    for (const BlockRange& range : ranges)
      for (int i = 0; i < range.count; ++i, ++next) {
        const int block = range.first + i;
        const ValueId value = what[next];
        ValueId& place = memories_[static_cast<std::size_t>(ref.rank)].at(range.buffer, block);
        // Blocks differ in size, so each may only lie in its own place.
        if (shape_.collective == Collective::alltoall || traits(shape_.collective).on_neighbors) {
          if (range.buffer == Buffer::scratch && place != undefined_value)
            report(ref, block, "gets a second block, which may differ in size");
        } else if (value != undefined_value && values_[value].block != block % shape_.blocks) {
          report(ref, block, fmt::format("gets block {}, which differs in size", values_[value].block));
        }
        place = value;
      }
  }

  void transfer(OperationRef send, OperationRef receive) {
    auto what = read(send, part(send.rank).ranges(operation(send)));
    if (const Rank sender = operation(receive).peer; sender != send.rank)
      for (ValueId& value : what) value = values_.moved_back(value, schedule_.symmetry, sender, shape_);
    write(receive, part(receive.rank).ranges(operation(receive)), what);
  }

  void copy(OperationRef ref) {
    const auto ranges = part(ref.rank).ranges(operation(ref));
    write(ref, ranges.first(1), read(ref, ranges.last(1)));
  }

  void reduce(OperationRef ref) {
    const Operation& op = operation(ref);
    const auto ranges = part(ref.rank).ranges(op);
    auto into = read(ref, ranges.first(1));
    const auto from = read(ref, ranges.last(1));
    for (std::size_t i = 0; i < into.size(); ++i) {
      if (into[i] == undefined_value || from[i] == undefined_value) continue;
      const bool from_first = op.order == OperandOrder::from_first;
      into[i] = combine(ref, ranges[0].first + static_cast<int>(i), from_first ? from[i] : into[i],
                        from_first ? into[i] : from[i]);
    }
    write(ref, ranges.first(1), into);
    if (op.order == OperandOrder::into_first) {
      if (ranges[1].buffer != Buffer::scratch)
        report(ref, ranges[1].first, "into_first may destroy `from`, which is not in scratch");
      write(ref, ranges.last(1), std::vector<ValueId>(from.size(), undefined_value));
    }
  }

  ValueId combine(OperationRef ref, int block, ValueId left, ValueId right) {
    if (!traits(shape_.collective).reduces && !values_[left].contributors.empty() &&
        !values_[right].contributors.empty())
      report(ref, block, "combines values, for which the call has no operation");
    auto [value, error] = values_.combine(left, right, shape_.commutative);
    if (!error.empty()) report(ref, block, error);
    return value;
  }

  void clear(OperationRef ref) {
    const auto ranges = part(ref.rank).ranges(operation(ref));
    std::vector<ValueId> nothing;
    for (int i = 0; i < ranges[0].count; ++i)
      nothing.push_back(values_.intern({(ranges[0].first + i) % shape_.blocks, {}}));
    write(ref, ranges, nothing);
  }

  // A native phase completes everywhere once its whole group has started it.
  std::vector<OperationRef> start_native(OperationRef ref) {
    const NativePhase& phase = part(ref.rank).native_phase(operation(ref));
    const auto meeting = static_cast<std::size_t>(
        meetings_.of[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)]);
    if (++arrived_[meeting] < phase.group.size()) return {};
    complete_native(phase, meetings_.members[meeting]);
    return meetings_.members[meeting];
  }

  // Everything that was given, by member and block of the phase, is read before anything is
  // written.
  void complete_native(const NativePhase& phase, const std::vector<OperationRef>& come) {
    std::vector<OperationRef> members;
    for (const Rank rank : phase.group) {
      const auto member =
          std::find_if(come.begin(), come.end(), [rank](OperationRef other) { return other.rank == rank; });
      if (member == come.end()) return report(come.front(), -1, "a rank outside the group has come");
      members.push_back(*member);
    }
    std::vector<std::vector<std::vector<ValueId>>> given;
    for (const OperationRef ref : members) {
      const NativePhase& theirs = part(ref.rank).native_phase(operation(ref));
      if (theirs.collective != phase.collective || theirs.root != phase.root)
        return report(ref, -1, "the ranks of a native phase mean different ones");
      if (operation(ref).memory != operation(come.front()).memory)
        return report(ref, -1, "some ranks of a phase carry it out in memory, and some do not");
      auto& blocks = given.emplace_back();
      for (const Ranges& block : theirs.from) blocks.push_back(read(ref, block));
    }
    for (std::size_t me = 0; me < members.size(); ++me) {
      const OperationRef ref = members[me];
      const auto& into = part(ref.rank).native_phase(operation(ref)).into;
      for (std::size_t block = 0; block < into.size(); ++block) {
        const auto sources = contributions(phase, me, block);
        if (into[block].empty() || sources.empty()) continue;  // the first rank of an exscan
        std::vector<ValueId> got;
        for (const auto& [member, theirs] : sources) {
          const auto& all = given[member];
          if (theirs >= all.size()) return report(ref, -1, "the native phase delivers no such block");
          got = got.empty() ? all[theirs] : combine(ref, got, all[theirs]);
        }
        if (static_cast<int>(got.size()) != into[block].count())
          report(ref, -1, fmt::format("the native phase delivers {} blocks", got.size()));
        else
          write(ref, into[block], got);
      }
    }
  }

  std::vector<ValueId> combine(OperationRef ref, const std::vector<ValueId>& left,
                               const std::vector<ValueId>& right) {
    std::vector<ValueId> both;
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
      both.push_back(combine(ref, -1, left[i], right[i]));
    return both;
  }

  // What a member's block of a native phase comes from: (member, its block), in the order of
  // operands.
  static std::vector<std::pair<std::size_t, std::size_t>> contributions(const NativePhase& phase,
                                                                        std::size_t me, std::size_t block) {
    const auto root = static_cast<std::size_t>(phase.root);
    std::vector<std::pair<std::size_t, std::size_t>> from;
    const auto from_all = [&](std::size_t end) {
      for (std::size_t member = 0; member < end; ++member) from.emplace_back(member, block);
    };
    switch (phase.collective) {
      case Collective::bcast:
      case Collective::scatter:
        from.emplace_back(root, block);
        break;
      case Collective::gather:
      case Collective::allgather:
        from.emplace_back(block, block);
        break;
      case Collective::alltoall:
        from.emplace_back(block, me);
        break;
      case Collective::scan:
        from_all(me + 1);
        break;
      case Collective::exscan:
        from_all(me);
        break;
      default:
        from_all(phase.group.size());
    }
    return from;
  }

  void check_results() {
    for (Rank rank = 0; rank < ranks(); ++rank)
      for (int block = 0; block < shape_.blocks; ++block) {
        const ValueId required = required_value(shape_, rank, block, values_);
        const ValueId actual = memories_[static_cast<std::size_t>(rank)].at(Buffer::output, block);
        if (required != undefined_value && actual != required)
          report(
              {rank, -1}, block,
              fmt::format("holds {} instead of {}", describe(values_[actual]), describe(values_[required])));
      }
  }

  struct State {
    bool started = false, done = false;
    int waiting_for = 0;
    std::uint32_t successors_begin = 0, successors_end = 0;  // in the rank's list
  };
  State& state(OperationRef ref) {
    return states_[static_cast<std::size_t>(ref.rank)][static_cast<std::size_t>(ref.id)];
  }

  const Schedule& schedule_;
  const Shape& shape_;
  Conditions conditions_;
  std::size_t limit_;
  std::vector<Violation> found_;
  Partners partner_;
  std::vector<Memory> memories_;
  std::vector<std::vector<State>> states_;
  std::vector<std::vector<OperationId>> successors_;  // of a rank's operations, one after the other
  Meetings meetings_;
  std::vector<std::size_t> arrived_;  // by meeting
  ValueTable values_;
};

}  // namespace

std::vector<Violation> verify(const Schedule& schedule, Conditions conditions, std::size_t limit) {
  return Verifier(schedule, conditions, limit).run();
}

}  // namespace tutti::inline core
