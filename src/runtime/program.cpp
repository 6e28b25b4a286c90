#include "runtime/program.hpp"

#include <algorithm>
#include <climits>
#include <set>

namespace tutti::runtime {

/// Makes a program of a part: binds every operation to sizes, then sorts them into waves.
class ProgramCompiler {
 public:
  ProgramCompiler(Program& program, const Part& part, const Layout& layout, const Unit& unit, int input_begin,
                  const GroupComm& group_comm)
      : program_(program),
        part_(part),
        layout_(layout),
        unit_(unit),
        input_begin_(input_begin),
        group_comm_(group_comm) {}

  void run() {
    program_.contiguous_ = unit_.contiguous;
    program_.scratch_units_ = layout_.begin(part_.scratch_blocks());
    order_into_waves();
    find_dependencies();
  }

 private:
  using Index = std::size_t;

  std::ptrdiff_t offset(Buffer buffer, int block) const {
    const auto begin = static_cast<std::ptrdiff_t>(layout_.begin(block));
    const auto shift = static_cast<std::ptrdiff_t>(buffer == Buffer::input ? layout_.begin(input_begin_) : 0);
    return (begin - shift) * unit_.extent;
  }
  std::size_t units(const BlockRange& range) const {
    return layout_.begin(range.first + range.count) - layout_.begin(range.first);
  }

  Instruction bind(const Operation& op) {
    const auto ranges = part_.ranges(op);
    Instruction bound{};
    bound.kind = op.kind;
    bound.order = op.order;
    bound.peer = op.peer;
    bound.tag = op.tag;
    bound.type = unit_.type;
    bound.into_buffer = ranges[0].buffer;
    if (op.kind == OperationKind::native) bound.peer = bind_phase(op);
    if (op.kind == OperationKind::send || op.kind == OperationKind::recv) {
      bind_message(bound, ranges);
      return bound;
    }
    if (op.kind == OperationKind::reduce && op.order == OperandOrder::into_first) program_.reorders_ = true;
    bound.into = offset(ranges[0].buffer, ranges[0].first);
    bound.from_buffer = ranges[1].buffer;
    bound.from = offset(ranges[1].buffer, ranges[1].first);
    bound.bytes = units(ranges[0]) * static_cast<std::size_t>(unit_.extent);
    // What a rank gives is what a native phase counts; only a receiver in a broadcast gives nothing.
    const std::size_t count = units(units(ranges[1]) > 0 ? ranges[1] : ranges[0]);
    bound.count = static_cast<std::int32_t>(std::min<std::size_t>(count, INT_MAX));
    return bound;
  }

  int bind_phase(const Operation& op) {
    const NativePhase& phase = part_.native_phases()[static_cast<std::size_t>(op.peer)];
    program_.phases_.push_back({phase.collective, phase.root, group_comm_(phase.group)});
    return static_cast<int>(program_.phases_.size()) - 1;
  }

  // A message is a count of the unit's type where it is one stretch of memory, else a type made for it.
  void bind_message(Instruction& bound, std::span<const BlockRange> ranges) {
    struct Piece {
      std::ptrdiff_t begin;
      std::size_t units;
    };
    std::vector<Piece> pieces;
    for (const BlockRange& range : ranges) {
      const Piece piece{offset(range.buffer, range.first), units(range)};
      if (piece.units == 0) continue;
      if (!pieces.empty() &&
          pieces.back().begin + static_cast<std::ptrdiff_t>(pieces.back().units) * unit_.extent ==
              piece.begin)
        pieces.back().units += piece.units;
      else
        pieces.push_back(piece);
    }
    if (pieces.empty()) return;  // nothing to say: count 0
    if (pieces.size() == 1 && pieces[0].units <= INT_MAX) {
      bound.into = pieces[0].begin;
      bound.count = static_cast<int>(pieces[0].units);
      return;
    }
    std::vector<int> counts;
    std::vector<MPI_Aint> begins;
    for (Piece piece : pieces)
      while (piece.units > 0) {
        const std::size_t now = std::min<std::size_t>(piece.units, INT_MAX);
        counts.push_back(static_cast<int>(now));
        begins.push_back(piece.begin);
        piece.begin += static_cast<std::ptrdiff_t>(now) * unit_.extent;
        piece.units -= now;
      }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    PMPI_Type_create_hindexed(static_cast<int>(counts.size()), counts.data(), begins.data(), unit_.type,
                              &type);
    PMPI_Type_commit(&type);
    program_.types_.emplace_back(type);
    bound.type = type;
    bound.count = 1;
    bound.into = 0;
  }

  static bool is_message(const Operation& op) {
    return op.kind == OperationKind::send || op.kind == OperationKind::recv;
  }

  // Messages and local work on nothing are left out; both ends of a message agree, for they know the same
  // sizes.
  bool is_empty(const Operation& op) const {
    if (op.kind == OperationKind::native) return false;
    for (const BlockRange& range : part_.ranges(op))
      if (units(range) > 0) return false;
    return true;
  }

  // Receives first, then sends, then local work: what others wait for goes out before we compute.
  static int priority(const Operation& op) {
    switch (op.kind) {
      case OperationKind::recv:
        return 0;
      case OperationKind::send:
        return 1;
      default:
        return 2;
    }
  }

  void order_into_waves() {
    const auto operations = part_.operations();
    std::vector<std::vector<Index>> next(operations.size());
    std::vector<std::size_t> missing(operations.size());
    place_.assign(operations.size(), dropped);
    // The messages an operation waits for, directly or through local work and dropped operations.
    std::vector<std::set<Index>> needs(operations.size());
    std::set<std::pair<int, Index>> ready;
    for (Index i = 0; i < operations.size(); ++i) {
      const auto after = part_.after(operations[i]);
      missing[i] = after.size();
      for (const OperationId earlier : after) next[static_cast<Index>(earlier)].push_back(i);
      if (after.empty()) ready.emplace(priority(operations[i]), i);
    }
    std::vector<Index> under_way;
    std::vector<std::size_t> wave_of(operations.size());
    std::size_t wave = 0, last_wave = 0;  // the number of this wave, the messages of the one before
    const auto needs_all_of_last_wave = [&](Index now) {
      const auto in_last = std::count_if(needs[now].begin(), needs[now].end(),
                                         [&](Index message) { return wave_of[message] + 1 == wave; });
      return static_cast<std::size_t>(in_last) == last_wave;
    };
    const auto complete = [&](Index done) {
      for (const Index successor : next[done]) {
        if (is_message(operations[done]) && place_[done] != dropped)
          needs[successor].insert(done);
        else
          needs[successor].insert(needs[done].begin(), needs[done].end());
        if (--missing[successor] == 0) ready.emplace(priority(operations[successor]), successor);
      }
    };
    for (; !ready.empty(); ++wave) {
      under_way.clear();
      while (!ready.empty()) {
        const Index now = ready.begin()->second;
        ready.erase(ready.begin());
        const bool empty = is_empty(operations[now]);
        if (!empty) {
          place_[now] = static_cast<std::uint32_t>(program_.instructions_.size());
          program_.instructions_.push_back(bind(operations[now]));
        }
        if (!empty && is_message(operations[now])) {
          if (!needs_all_of_last_wave(now)) program_.in_step_ = false;
          wave_of[now] = wave;
          under_way.push_back(now);
        } else {
          complete(now);
        }
      }
      program_.waves_.push_back(wave_of_messages(under_way));
      program_.max_messages_ = std::max(program_.max_messages_, under_way.size());
      last_wave = under_way.size();
      for (const Index done : under_way) complete(done);
    }
    if (!program_.in_step_) {
      program_.max_messages_ = 0;
      for (const Operation& op : operations)
        if (is_message(op)) ++program_.max_messages_;
    }
  }

  Wave wave_of_messages(const std::vector<Index>& messages) const {
    Wave wave{.end = static_cast<std::uint32_t>(program_.instructions_.size())};
    for (const Index message : messages) {
      std::uint32_t& only =
          part_.operations()[message].kind == OperationKind::send ? wave.send : wave.receive;
      if (only != Wave::none) wave.simple = false;
      only = place_[message];
    }
    return wave;
  }

  // For programs that are not in step: who waits for whom among the instructions, past the dropped ones.
  void find_dependencies() {
    if (program_.in_step_) return;
    const auto operations = part_.operations();
    program_.waiting_for_.assign(program_.instructions_.size(), 0);
    program_.successors_.resize(program_.instructions_.size());
    std::vector<std::set<std::uint32_t>> before(operations.size());
    for (Index i = 0; i < operations.size(); ++i) {
      for (const OperationId earlier : part_.after(operations[i])) {
        const auto from = static_cast<Index>(earlier);
        if (place_[from] == dropped)
          before[i].insert(before[from].begin(), before[from].end());
        else
          before[i].insert(place_[from]);
      }
      if (place_[i] == dropped) continue;
      program_.waiting_for_[place_[i]] = static_cast<std::uint32_t>(before[i].size());
      for (const std::uint32_t earlier : before[i]) program_.successors_[earlier].push_back(place_[i]);
    }
  }

  static constexpr std::uint32_t dropped = UINT32_MAX;

  Program& program_;
  const Part& part_;
  const Layout& layout_;
  const Unit& unit_;
  int input_begin_;
  const GroupComm& group_comm_;
  std::vector<std::uint32_t> place_;  // by operation: its instruction
};

Program::Program(const Part& part, const Layout& layout, const Unit& unit, int input_begin,
                 const GroupComm& group_comm) {
  ProgramCompiler(*this, part, layout, unit, input_begin, group_comm).run();
}

std::size_t Program::bytes() const {
  std::size_t total = sizeof *this + instructions_.capacity() * sizeof(Instruction) +
                      waves_.capacity() * sizeof(Wave) + waiting_for_.capacity() * sizeof(std::uint32_t) +
                      types_.capacity() * (sizeof(OwnType) + 256);  // a library's own record of a type
  for (const auto& list : successors_) total += sizeof list + list.capacity() * sizeof(std::uint32_t);
  return total;
}

}  // namespace tutti::runtime
