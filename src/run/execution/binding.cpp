#include "run/execution/binding.hpp"

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "run/execution/constants.hpp"
#include "run/execution/in_flight.hpp"

namespace tutti::run {
namespace {

class Binder {
 public:
  Binder(const Part& part, const Surroundings& surroundings, const Layout& layout, const Unit& unit)
      : part_(part), around_(surroundings), layout_(layout), unit_(unit) {
    for (const std::size_t units : layout.scratch) {
      scratch_begin_.push_back(static_cast<std::ptrdiff_t>(bound_.scratch_units));
      bound_.scratch_units += units;
    }
  }

  BoundPart bound() {
    for (const Operation& op : part_.operations()) bind(op);
    return std::move(bound_);
  }

 private:
  using Index = std::size_t;

  // A stretch of memory, in units.
  struct Piece {
    Buffer buffer;
    std::ptrdiff_t begin;
    std::size_t units;
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

  // Binds an operation. Those on nothing vanish: what waits for them waits for what they wait for.
  // Both ends of a message agree on that, for they know the same sizes.
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
        if (op.kind == OperationKind::reduce && op.order == OperandOrder::into_first) bound_.reorders = true;
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
    bound_.steps.push_back({instruction, std::move(last_)});
    last_ = {bound_.steps.size() - 1};
  }

  std::ptrdiff_t bytes(std::ptrdiff_t in_units) const { return in_units * unit_.extent; }

  // A message is a count of the unit's type where it is one stretch of memory, else a type made for
  // it, or packed where its pieces lie in several buffers.
  void bind_message(const Operation& op, const std::vector<Piece>& list) {
    if (list.empty()) return;
    Instruction message{};
    message.first = Instruction::none;
    message.peer = around_.number_of(op.peer);
    message.tag = op.tag % execution::tags_of_a_call;
    message.channel = around_.memory && op.memory ? around_.memory->channel(message.peer) : HostMemory::none;
    const bool memory = message.channel != HostMemory::none;
    for (const Piece& piece : list)
      message.bytes += piece.units * (memory ? unit_.size : static_cast<std::size_t>(std::abs(unit_.extent)));
    if (memory && message.bytes == 0) return;
    message.kind = op.kind;
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
    bound_.types.emplace_back(type);
    return type;
  }

  void bind_packed(Instruction message, const std::vector<Piece>& list) {
    Piece packed{Buffer::scratch, static_cast<std::ptrdiff_t>(bound_.scratch_units), 0};
    for (const Piece& piece : list) packed.units += piece.units;
    bound_.scratch_units += packed.units;
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
      bound_.steps.back().instruction.kind = OperationKind::clear;
    }
  }

  void bind_native(const Operation& op) {
    const NativePhase& phase = part_.native_phase(op);
    if (moves_nothing(phase)) return;
    const bool even = phase.even && layout_.even;
    const auto me = std::find(phase.group.begin(), phase.group.end(), around_.rank) - phase.group.begin();
    BoundPhase bound{even ? phase.collective : irregular_variant(phase.collective),
                     phase.root,
                     static_cast<int>(me),
                     op.memory && is_host(phase.group) && unit_.contiguous,
                     around_.phase_comm(phase),
                     unit_.type,
                     unit_.extent,
                     {},
                     {}};
    std::vector<Piece> into, packed_into, from, packed_from;
    bind_blocks(phase.into, bound.into, into, packed_into);
    bind_blocks(phase.from, bound.from, from, packed_from);
    tell_of_algorithm(bound, phase.algorithm);
    for (std::size_t i = 0; i < packed_from.size(); ++i) add_local({}, packed_from[i], from[i]);
    Instruction native{};
    native.channel = HostMemory::none;
    native.kind = OperationKind::native;
    native.peer = static_cast<std::int32_t>(bound_.phases.size());
    bound_.phases.push_back(std::move(bound));
    add(native);
    for (std::size_t i = 0; i < packed_into.size(); ++i) add_local({}, into[i], packed_into[i]);
  }

  static void tell_of_algorithm(BoundPhase& bound, const std::string& algorithm) {
    if (algorithm.empty()) return;
    LibrarySwitch& by = LibrarySwitch::of(bound.collective);
    const auto setting = by.is_read_at_calls() ? by.setting_of(algorithm) : std::nullopt;
    if (!setting) return;
    bound.by = &by;
    bound.setting = *setting;
  }

  bool is_host(const std::vector<Rank>& group) const {
    std::vector<Rank> numbers;
    for (const Rank rank : group) numbers.push_back(around_.number_of(rank));
    return around_.memory && around_.memory->is_host(numbers);
  }

  // Whether a phase is on an empty vector, as all of its group see. Libraries are not made for
  // that: SimGrid 3.32 divides by the count.
  bool moves_nothing(const NativePhase& phase) const {
    return phase.collective != Collective::barrier && !has_block_a_rank(phase.collective) &&
           pieces(all_ranges(phase.into)).empty() && pieces(all_ranges(phase.from)).empty();
  }

  static Collective irregular_variant(Collective collective) {
    for (const CollectiveTraits& other : collectives)
      if (other.regular == collective && other.collective != collective) return other.collective;
    return collective;  // on a vector: nothing in it can differ
  }

  // Where the blocks are no single stretch of memory they are packed: `list` are their pieces,
  // `packed` the places for them in scratch.
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
      place = {Buffer::scratch, static_cast<std::ptrdiff_t>(bound_.scratch_units), 0};
      for (const Piece& piece : list) {
        packed.push_back({Buffer::scratch, static_cast<std::ptrdiff_t>(bound_.scratch_units), piece.units});
        bound_.scratch_units += piece.units;
      }
    }
    bound.buffer = place.buffer;
    bound.begin = bytes(place.begin);
  }

  const Part& part_;
  const Surroundings& around_;
  const Layout& layout_;
  const Unit& unit_;
  BoundPart bound_;
  std::vector<std::ptrdiff_t> scratch_begin_;
  std::vector<Index> last_;               // of the operation being bound: what its next step waits for
  std::vector<std::vector<Index>> ends_;  // by operation: the steps after which it is complete
};

}  // namespace

BoundPart bind(const Part& part, const Surroundings& surroundings, const Layout& layout, const Unit& unit) {
  return Binder(part, surroundings, layout, unit).bound();
}

}  // namespace tutti::run
