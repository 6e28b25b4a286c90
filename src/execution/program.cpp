#include "execution/program.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include "execution/in_flight.hpp"
#include "execution/through_memory.hpp"

namespace tutti::runtime {

/// Makes a program of a part: binds its operations to the layout, as one step or a chain of steps each, then
/// sorts the steps into waves.
class ProgramCompiler {
 public:
  ProgramCompiler(Program& program, const Part& part, Rank rank, const Layout& layout, const Unit& unit,
                  const GroupComm& group_comm, const HostMemory* memory)
      : program_(program),
        part_(part),
        rank_(rank),
        layout_(layout),
        unit_(unit),
        group_comm_(group_comm),
        memory_(memory) {
    for (const std::size_t units : layout.scratch) {
      scratch_begin_.push_back(static_cast<std::ptrdiff_t>(program_.scratch_units_));
      program_.scratch_units_ += units;
    }
  }

  void run() {
    program_.contiguous_ = unit_.contiguous;
    program_.unit_size_ = unit_.size;
    program_.scratch_blocks_ = part_.scratch_blocks();
    for (const Operation& op : part_.operations()) bind(op);
    bound_messages(OperationKind::send);
    bound_messages(OperationKind::recv);
    order_into_waves();
    if (!keeps_channels_in_order()) program_.in_step_ = false;
    if (!program_.in_step_) {
      order_channels();
      find_successors();
    } else if (memory_) {
      shorten_ways_through_memory(program_.instructions_, program_.waves_, unit_, memory_->lends_from());
    }
    program_.is_straight_ = program_.in_step_ &&
                            std::all_of(program_.waves_.begin(), program_.waves_.end(),
                                        [](const Wave& wave) { return wave.simple && !wave.through_memory; });
    if (program_.is_straight_) put_into_line();
  }

 private:
  using Index = std::size_t;

  // A stretch of memory, in units.
  struct Piece {
    Buffer buffer;
    std::ptrdiff_t begin;
    std::size_t units;
  };

  // An instruction, and the steps it waits for.
  struct Step {
    Instruction instruction;
    std::vector<Index> after;
    bool is_message() const { return tutti::is_message(instruction.kind); }
  };

  std::ptrdiff_t begin(Buffer buffer, int block) const {
    const auto index = static_cast<std::size_t>(block);
    return buffer == Buffer::scratch  ? scratch_begin_[index]
           : buffer == Buffer::output ? layout_.output.begin[index]
                                      : layout_.input.begin[index];
  }
  std::size_t units(Buffer buffer, int block) const {
    const auto index = static_cast<std::size_t>(block);
    return buffer == Buffer::scratch  ? layout_.scratch[index]
           : buffer == Buffer::output ? layout_.output.units[index]
                                      : layout_.input.units[index];
  }

  // The memory of some ranges in order, neighbours joined; without what is empty.
  std::vector<Piece> pieces(std::span<const BlockRange> ranges) const {
    std::vector<Piece> list;
    for (const BlockRange& range : ranges)
      for (int block = range.first; block < range.first + range.count; ++block) {
        const Piece piece{range.buffer, begin(range.buffer, block), units(range.buffer, block)};
        if (piece.units == 0) continue;
        if (!list.empty() && list.back().buffer == piece.buffer &&
            list.back().begin + static_cast<std::ptrdiff_t>(list.back().units) == piece.begin)
          list.back().units += piece.units;
        else
          list.push_back(piece);
      }
    return list;
  }

  // Binds an operation. Those on nothing vanish: what waits for them waits for what they wait for. Both ends
  // of a message agree on that, for they know the same sizes.
  void bind(const Operation& op) {
    std::vector<Index> after;
    for (const OperationId earlier : part_.after(op)) {
      const auto& ends = ends_[static_cast<Index>(earlier)];
      after.insert(after.end(), ends.begin(), ends.end());
    }
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    last_ = std::move(after);
    const auto ranges = part_.ranges(op);
    switch (op.kind) {
      case OperationKind::send:
      case OperationKind::recv:
        bind_message(op, pieces(ranges));
        break;
      case OperationKind::reduce:
      case OperationKind::copy:
        if (op.kind == OperationKind::reduce && op.order == OperandOrder::into_first)
          program_.reorders_ = true;
        bind_local(op, pieces(ranges.first(1)), pieces(ranges.last(1)));
        break;
      case OperationKind::clear:
        bind_clear(pieces(ranges));
        break;
      case OperationKind::native:
        bind_native(op);
        break;
    }
    ends_.push_back(std::move(last_));
  }

  // Adds a step that waits for the one added last, or for what the operation waits for.
  void add(const Instruction& instruction) {
    steps_.push_back({instruction, std::move(last_)});
    last_ = {steps_.size() - 1};
  }

  std::ptrdiff_t bytes(std::ptrdiff_t in_units) const { return in_units * unit_.extent; }

  // A message is a count of the unit's type where it is one stretch of memory, else a type made for it, or
  // packed where its pieces lie in several buffers.
  void bind_message(const Operation& op, const std::vector<Piece>& list) {
    if (list.empty()) return;
    Instruction message{};
    message.first = Instruction::none;
    message.channel = memory_ && op.memory ? memory_->channel(op.peer) : HostMemory::none;
    const bool memory = message.channel != HostMemory::none;
    for (const Piece& piece : list)
      message.bytes += piece.units * (memory ? unit_.size : static_cast<std::size_t>(std::abs(unit_.extent)));
    if (memory && message.bytes == 0) return;
    message.kind = op.kind;
    message.peer = op.peer;
    message.tag = op.tag;
    message.type = unit_.type;
    message.into_buffer = list[0].buffer;
    const bool one_buffer = std::all_of(list.begin(), list.end(),
                                        [&](const Piece& piece) { return piece.buffer == list[0].buffer; });
    if (!one_buffer || (memory && list.size() > 1)) return bind_packed(message, list);
    if (memory || (list.size() == 1 && list[0].units <= INT_MAX)) {
      message.into = bytes(list[0].begin);
      message.count = static_cast<int>(list[0].units);
    } else {
      message.type = type_of(list);
      message.count = 1;
    }
    add(message);
  }

  MPI_Datatype type_of(const std::vector<Piece>& list) {
    std::vector<int> counts;
    std::vector<MPI_Aint> begins;
    for (Piece piece : list)
      while (piece.units > 0) {
        const std::size_t now = std::min<std::size_t>(piece.units, INT_MAX);
        counts.push_back(static_cast<int>(now));
        begins.push_back(bytes(piece.begin));
        piece.begin += static_cast<std::ptrdiff_t>(now);
        piece.units -= now;
      }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    PMPI_Type_create_hindexed(static_cast<int>(counts.size()), counts.data(), begins.data(), unit_.type,
                              &type);
    PMPI_Type_commit(&type);
    program_.types_.emplace_back(type);
    return type;
  }

  void bind_packed(Instruction message, const std::vector<Piece>& list) {
    Piece packed{Buffer::scratch, static_cast<std::ptrdiff_t>(program_.scratch_units_), 0};
    for (const Piece& piece : list) packed.units += piece.units;
    program_.scratch_units_ += packed.units;
    const auto copy_pieces = [&] {
      std::ptrdiff_t at = packed.begin;
      for (const Piece& piece : list) {
        const Piece there{Buffer::scratch, at, piece.units};
        at += static_cast<std::ptrdiff_t>(piece.units);
        message.kind == OperationKind::send ? add_local({}, there, piece) : add_local({}, piece, there);
      }
    };
    if (message.kind == OperationKind::send) copy_pieces();
    message.into_buffer = Buffer::scratch;
    if (message.channel != HostMemory::none || packed.units <= INT_MAX) {
      message.into = bytes(packed.begin);
      message.count = static_cast<int>(packed.units);
    } else {
      message.type = type_of({packed});
      message.count = 1;
    }
    add(message);
    if (message.kind == OperationKind::recv) copy_pieces();
  }

  // Reductions and copies of equally many units, cut where one of the two is.
  void bind_local(const Operation& op, std::vector<Piece> into, std::vector<Piece> from) {
    for (Index i = 0, j = 0; i < into.size() && j < from.size();) {
      const std::size_t now = std::min({into[i].units, from[j].units, std::size_t{INT_MAX}});
      add_local(op, {into[i].buffer, into[i].begin, now}, {from[j].buffer, from[j].begin, now});
      for (Piece* piece : {&into[i], &from[j]}) {
        piece->begin += static_cast<std::ptrdiff_t>(now);
        piece->units -= now;
      }
      if (into[i].units == 0) ++i;
      if (from[j].units == 0) ++j;
    }
  }

  void add_local(const Operation& op, const Piece& into, const Piece& from) {
    Instruction local{};
    local.channel = HostMemory::none;
    local.kind = op.kind == OperationKind::reduce ? OperationKind::reduce : OperationKind::copy;
    local.order = op.order;
    local.type = unit_.type;
    local.count = static_cast<std::int32_t>(std::min<std::size_t>(into.units, INT_MAX));
    local.into_buffer = into.buffer;
    local.into = bytes(into.begin);
    local.from_buffer = from.buffer;
    local.from = bytes(from.begin);
    local.bytes = into.units * static_cast<std::size_t>(unit_.extent);
    add(local);
  }

  void bind_clear(const std::vector<Piece>& list) {
    for (const Piece& piece : list) {
      add_local({}, piece, piece);
      steps_.back().instruction.kind = OperationKind::clear;
    }
  }

  void bind_native(const Operation& op) {
    const NativePhase& phase = part_.native_phase(op);
    if (moves_nothing(phase)) return;
    const bool even = phase.even && layout_.even;
    const auto me = std::find(phase.group.begin(), phase.group.end(), rank_) - phase.group.begin();
    BoundPhase bound{even ? phase.collective : irregular_variant(phase.collective),
                     phase.root,
                     static_cast<int>(me),
                     op.memory && memory_ && memory_->is_host(phase.group) && unit_.contiguous,
                     group_comm_(phase.group),
                     unit_.type,
                     unit_.extent,
                     {},
                     {}};
    std::vector<Piece> into, packed_into, from, packed_from;
    bind_blocks(phase.into, bound.into, into, packed_into);
    bind_blocks(phase.from, bound.from, from, packed_from);
    for (std::size_t i = 0; i < packed_from.size(); ++i) add_local({}, packed_from[i], from[i]);
    Instruction native{};
    native.channel = HostMemory::none;
    native.kind = OperationKind::native;
    native.peer = static_cast<std::int32_t>(program_.phases_.size());
    program_.phases_.push_back(std::move(bound));
    add(native);
    for (std::size_t i = 0; i < packed_into.size(); ++i) add_local({}, into[i], packed_into[i]);
  }

  // Whether a phase is on an empty vector, as all of its group see. Libraries are not made for that:
  // SimGrid 3.32 divides by the count.
  bool moves_nothing(const NativePhase& phase) const {
    return phase.collective != Collective::barrier && !has_block_a_rank(phase.collective) &&
           pieces(all_ranges(phase.into)).empty() && pieces(all_ranges(phase.from)).empty();
  }

  static Collective irregular_variant(Collective collective) {
    for (const CollectiveTraits& other : collectives)
      if (other.regular == collective && other.collective != collective) return other.collective;
    return collective;  // on a vector: nothing in it can differ
  }

  // Where the blocks are no single stretch of memory they are packed: `list` are their pieces, `packed` the
  // places for them in scratch.
  void bind_blocks(const std::vector<Ranges>& blocks, PhaseBlocks& bound, std::vector<Piece>& list,
                   std::vector<Piece>& packed) {
    int displ = 0;
    for (const Ranges& block : blocks) {
      std::size_t units = 0;
      for (const Piece& piece : pieces(block)) units += piece.units;
      bound.counts.push_back(static_cast<int>(units));
      bound.displs.push_back(displ);
      displ += static_cast<int>(units);
    }
    list = pieces(all_ranges(blocks));
    bound.nothing = list.empty();
    if (bound.nothing) return;
    Piece place = list.front();
    if (list.size() > 1) {
      place = {Buffer::scratch, static_cast<std::ptrdiff_t>(program_.scratch_units_), 0};
      for (const Piece& piece : list) {
        packed.push_back(
            {Buffer::scratch, static_cast<std::ptrdiff_t>(program_.scratch_units_), piece.units});
        program_.scratch_units_ += piece.units;
      }
    }
    bound.buffer = place.buffer;
    bound.begin = bytes(place.begin);
  }

  // Cuts the messages of one direction into chunks, in their order, each half as large as what may be under
  // way: a message waits for the chunk before the last one to complete.
  void bound_messages(OperationKind direction) {
    std::vector<std::vector<Index>> chunks;
    std::size_t bytes_of_chunk = 0;
    for (Index i = 0; i < steps_.size(); ++i) {
      const Instruction& message = steps_[i].instruction;
      if (message.kind != direction) continue;
      if (chunks.empty() || chunks.back().size() >= std::max<std::size_t>(in_flight.messages / 2, 1) ||
          bytes_of_chunk + message.bytes > in_flight.bytes / 2) {
        chunks.emplace_back();
        bytes_of_chunk = 0;
      }
      chunks.back().push_back(i);
      bytes_of_chunk += message.bytes;
    }
    for (std::size_t chunk = 2; chunk < chunks.size(); ++chunk) {
      const Index gate = steps_.size();
      steps_.push_back({Instruction::nothing_to_do(), chunks[chunk - 2]});
      for (const Index message : chunks[chunk]) steps_[message].after.push_back(gate);
    }
  }

  // Receives first, then sends, then local work: what others wait for goes out before we compute.
  int priority(Index step) const {
    switch (steps_[step].instruction.kind) {
      case OperationKind::recv:
        return 0;
      case OperationKind::send:
        return 1;
      default:
        return 2;
    }
  }

  // Of the messages that a step waits for, directly or through local work, those of the latest wave.
  struct Needs {
    std::size_t wave = 0;
    std::vector<Index> messages = {};  // ascending

    void add(const Needs& more) {
      if (more.messages.empty() || more.wave < wave) return;
      if (messages.empty() || more.wave > wave) {
        *this = more;
        return;
      }
      std::vector<Index> both;
      std::set_union(messages.begin(), messages.end(), more.messages.begin(), more.messages.end(),
                     std::back_inserter(both));
      messages = std::move(both);
    }
  };

  void order_into_waves() {
    std::vector<std::vector<Index>> next(steps_.size());
    std::vector<std::size_t> missing(steps_.size());
    place_.resize(steps_.size());
    wave_of_.resize(steps_.size());
    std::vector<Needs> needs(steps_.size());
    std::set<std::pair<int, Index>> ready;
    for (Index i = 0; i < steps_.size(); ++i) {
      missing[i] = steps_[i].after.size();
      for (const Index earlier : steps_[i].after) next[earlier].push_back(i);
      if (missing[i] == 0) ready.emplace(priority(i), i);
    }
    std::vector<Index> under_way;
    std::size_t wave = 0, last_wave = 0;  // the number of this wave, the messages of the one before
    const auto needs_all_of_last_wave = [&](Index now) {
      const bool some = needs[now].wave + 1 == wave && !needs[now].messages.empty();
      return (some ? needs[now].messages.size() : 0) == last_wave;
    };
    const auto complete = [&](Index done, const Needs& needed) {
      for (const Index successor : next[done]) {
        needs[successor].add(needed);
        if (--missing[successor] == 0) ready.emplace(priority(successor), successor);
      }
    };
    for (; !ready.empty(); ++wave) {
      under_way.clear();
      while (!ready.empty()) {
        const Index now = ready.begin()->second;
        ready.erase(ready.begin());
        place_[now] = static_cast<std::uint32_t>(program_.instructions_.size());
        wave_of_[now] = static_cast<std::uint32_t>(wave);
        program_.instructions_.push_back(steps_[now].instruction);
        if (steps_[now].is_message()) {
          if (!needs_all_of_last_wave(now)) program_.in_step_ = false;
          under_way.push_back(now);
        } else {
          complete(now, needs[now]);
        }
        needs[now] = {};
      }
      program_.waves_.push_back(wave_of_messages(under_way));
      program_.max_messages_ = std::max(program_.max_messages_, under_way.size());
      last_wave = under_way.size();
      for (const Index done : under_way) complete(done, {wave, {done}});
    }
  }

  Wave wave_of_messages(const std::vector<Index>& messages) const {
    Wave wave{.end = static_cast<std::uint32_t>(program_.instructions_.size())};
    for (const Index message : messages) {
      const Instruction& instruction = steps_[message].instruction;
      const bool through_memory = instruction.channel != HostMemory::none;
      std::uint32_t& only = instruction.kind == OperationKind::send ? wave.send : wave.receive;
      if (only != Wave::none || (message != messages.front() && through_memory != wave.through_memory) ||
          (through_memory && !unit_.contiguous))
        wave.simple = false;
      only = place_[message];
      wave.through_memory = through_memory;
    }
    return wave;
  }

  void put_into_line() {
    std::vector<Instruction>& list = program_.instructions_;
    auto begin = list.begin();
    for (Wave& wave : program_.waves_) {
      const auto end = list.begin() + wave.end;
      const auto rank = [](const Instruction& i) {
        return i.kind == OperationKind::recv ? 1 : i.kind == OperationKind::send ? 2 : 0;
      };
      std::stable_sort(begin, end, [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
      const bool sends = wave.send != Wave::none, receives = wave.receive != Wave::none;
      if (sends) wave.send = wave.end - 1;
      if (receives) wave.receive = wave.end - 1 - sends;
      if (sends && receives) list[wave.receive].paired = true;
      begin = end;
    }
  }

  // By direction and channel: its messages' steps, in the order of the part's operations.
  std::map<std::pair<OperationKind, std::int32_t>, std::vector<Index>> messages_by_channel() const {
    std::map<std::pair<OperationKind, std::int32_t>, std::vector<Index>> channels;
    for (Index i = 0; i < steps_.size(); ++i)
      if (steps_[i].is_message() && steps_[i].instruction.channel != HostMemory::none)
        channels[{steps_[i].instruction.kind, steps_[i].instruction.channel}].push_back(i);
    return channels;
  }

  // Whether waves have no two messages of a channel, and leave all of one in their order.
  bool keeps_channels_in_order() const {
    for (const auto& [channel, messages] : messages_by_channel())
      for (Index i = 1; i < messages.size(); ++i)
        if (wave_of_[messages[i - 1]] >= wave_of_[messages[i]]) return false;
    return true;
  }

  void order_channels() {
    for (const auto& [channel, messages] : messages_by_channel())
      for (Index i = 1; i < messages.size(); ++i) {
        auto& after = steps_[messages[i]].after;
        if (std::find(after.begin(), after.end(), messages[i - 1]) == after.end())
          after.push_back(messages[i - 1]);
      }
  }

  void find_successors() {
    program_.waiting_for_.resize(steps_.size());
    program_.successors_.resize(steps_.size());
    program_.max_messages_ = 0;
    for (Index i = 0; i < steps_.size(); ++i) {
      if (steps_[i].is_message()) ++program_.max_messages_;
      program_.waiting_for_[place_[i]] = static_cast<std::uint32_t>(steps_[i].after.size());
      for (const Index earlier : steps_[i].after) program_.successors_[place_[earlier]].push_back(place_[i]);
    }
  }

  Program& program_;
  const Part& part_;
  Rank rank_;
  const Layout& layout_;
  const Unit& unit_;
  const GroupComm& group_comm_;
  const HostMemory* memory_;
  std::vector<std::ptrdiff_t> scratch_begin_;
  std::vector<Step> steps_;
  std::vector<Index> last_;               // of the operation being bound: what its next step waits for
  std::vector<std::vector<Index>> ends_;  // by operation: the steps after which it is complete
  std::vector<std::uint32_t> place_;      // by step: its instruction
  std::vector<std::uint32_t> wave_of_;    // by step
};

int PhaseBlocks::count() const {
  return counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
}

Program::Program(const Part& part, Rank rank, const Layout& layout, const Unit& unit,
                 const GroupComm& group_comm, const HostMemory* memory) {
  ProgramCompiler(*this, part, rank, layout, unit, group_comm, memory).run();
}

std::size_t Program::bytes() const {
  std::size_t total = sizeof *this + instructions_.capacity() * sizeof(Instruction) +
                      waves_.capacity() * sizeof(Wave) + waiting_for_.capacity() * sizeof(std::uint32_t) +
                      types_.capacity() * (sizeof(OwnType) + 256);  // a library's own record of a type
  for (const auto& list : successors_) total += sizeof list + list.capacity() * sizeof(std::uint32_t);
  return total;
}

}  // namespace tutti::runtime
