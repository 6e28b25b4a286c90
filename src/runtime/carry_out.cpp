#include "runtime/carry_out.hpp"

#include <cstdlib>
#include <numeric>

#include "execution/staging.hpp"
#include "mpi/datatype.hpp"
#include "mpi/reduction.hpp"
#include "runtime/sides.hpp"

namespace tutti::runtime {
namespace {

const Unit byte_unit{MPI_BYTE, 1, true, 1};

char* bytes_of(const void* buffer) {
  return const_cast<char*>(static_cast<const char*>(buffer));
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// The sizes of the scratch blocks that a part uses, where each is as large as a block of the vector.
std::vector<std::size_t> scratch_like(const std::vector<std::size_t>& block_units, const Part& part) {
  std::vector<std::size_t> units(static_cast<std::size_t>(part.scratch_blocks()), 0);
  for (const Operation& op : part.operations())
    for (const BlockRange& range : part.ranges(op))
      if (range.buffer == Buffer::scratch)
        for (int block = range.first; block < range.first + range.count; ++block)
          units[static_cast<std::size_t>(block)] =
              block_units[static_cast<std::size_t>(block) % block_units.size()];
  return units;
}

// One call by one plan.
class Carrier {
 public:
  Carrier(Communicator& c, const Plan& plan, const Call& call, bool commutative)
      : c_(c), plan_(plan), call_(call), commutative_(commutative) {}

  int run() {
    c_.execution().operands() = {};
    switch (traits(plan_.collective()).regular) {
      case Collective::barrier:
        return barrier();
      case Collective::bcast:
        return bcast();
      case Collective::gather:
      case Collective::scatter:
      case Collective::allgather:
      case Collective::alltoall:
        return move_blocks();
      case Collective::reduce_scatter_block:
        return reduce_scatter();
      default:
        return reduce_vector();
    }
  }

  // Nothing where more is done than to run a program, or another may be computed at any time.
  BoundCall bound() const {
    return only_executes_ && !plan_.is_computed() ? BoundCall(c_, plan_, *program_, call_) : BoundCall();
  }

 private:
  char*& base(Buffer buffer) { return c_.execution().operands().base[static_cast<int>(buffer)]; }

  int execute(const Program& program) {
    program_ = &program;
    return c_.execution().run(program, c_.hidden(), c_.memory());
  }

  ProgramKey key(std::size_t units, std::uint64_t type_id = 0) const {
    return {plan_.id(), call_.root, units, type_id, commutative_, 0};
  }

  Setting setting() const { return c_.setting(commutative_); }

  // This rank's part for a vector of so many bytes in all.
  Part part(std::size_t bytes) const {
    return generate(plan_, shape_of(plan_, setting(), call_.root, bytes), c_.rank());
  }

  Program program(const Part& part, const Layout& layout, const Unit& unit) {
    if (plan_.uses_memory()) c_.share_memory();
    return Program(
        part, c_.rank(), layout, unit,
        [this](const std::vector<Rank>& group) { return c_.group_comm(group); }, c_.memory());
  }

  // The program for a vector in as many even blocks as the plan likes.
  const Program& vector_program(std::size_t units, const Unit& unit, std::uint64_t type_id) {
    return c_.programs().find(key(units, type_id), [&] {
      const std::size_t bytes = units * static_cast<std::size_t>(std::abs(unit.extent));
      const Shape shape = shape_of(plan_, setting(), call_.root, bytes);
      const Part mine = generate(plan_, shape, c_.rank());
      const Blocks blocks = even_split(units, shape.blocks);
      const bool even = units % blocks.units.size() == 0;
      return program(mine, {blocks, blocks, scratch_like(blocks.units, mine), even}, unit);
    });
  }

  int barrier() {
    const Program& token = vector_program(1, byte_unit, 0);
    char* memory = c_.arena().get(1 + token.scratch_units());
    base(Buffer::output) = memory;
    base(Buffer::scratch) = memory + 1;
    return execute(token);
  }

  int bcast() {
    const TypeInfo& type = *type_info(call_.recvtype);
    const auto count = static_cast<std::size_t>(call_.recvcount);
    const std::size_t bytes = count * type.size;
    const Program& moves = vector_program(bytes, byte_unit, 0);
    const std::size_t scratch = aligned(moves.scratch_units());
    char* memory = c_.arena().get(scratch + (type.contiguous ? 0 : bytes));
    base(Buffer::scratch) = memory;
    char*& vector = base(Buffer::output);
    if (type.contiguous) {
      vector = bytes_of(call_.recvbuf);
      return execute(moves);
    }
    only_executes_ = false;
    vector = memory + scratch;
    if (c_.rank() == call_.root) {
      const int error = pack(call_.recvbuf, count, call_.recvtype, type, vector, c_.hidden());
      return error == MPI_SUCCESS ? execute(moves) : error;
    }
    if (const int error = execute(moves); error != MPI_SUCCESS) return error;
    return unpack(vector, call_.recvbuf, count, call_.recvtype, type, c_.hidden());
  }

  // Whether a side's data have to be copied: what is not in order in memory, and the input of an operation
  // whose output would overwrite it.
  bool is_staged(const Side& side) const { return side.count > 0 && !side.info->contiguous; }
  bool overwrites_input() const {
    return call_.sendbuf == MPI_IN_PLACE && !traits(plan_.collective()).aliases;
  }

  int move_blocks() {
    const Sides sides = sides_of(plan_.collective(), c_.rank(), c_.ranks(), call_);
    const bool stage_input = is_staged(sides.input) || overwrites_input(),
               stage_output = is_staged(sides.output);
    only_executes_ = !stage_input && !stage_output && !is_irregular(plan_.collective());
    if (is_irregular(plan_.collective())) {
      if (const int error = lay_out(sides, stage_input, stage_output); error != MPI_SUCCESS) return error;
    }
    const Program& moves = is_irregular(plan_.collective()) ? irregular_program() : regular_program(sides);

    set_operation(MPI_BYTE, MPI_BOR);  // with it a reduction gathers what others cleared
    const std::size_t scratch = aligned(moves.scratch_units());
    const std::size_t staged_input = stage_input ? aligned(sides.input.bytes()) : 0;
    char* memory = c_.arena().get(scratch + staged_input + (stage_output ? sides.output.bytes() : 0));
    base(Buffer::scratch) = memory;
    base(Buffer::input) = stage_input ? memory + scratch : sides.input.address;
    base(Buffer::output) = stage_output ? memory + scratch + staged_input : sides.output.address;
    if (stage_input)
      if (const int error = pack(sides.input, base(Buffer::input), c_.hidden()); error != MPI_SUCCESS)
        return error;
    if (const int error = execute(moves); error != MPI_SUCCESS) return error;
    return stage_output ? unpack(base(Buffer::output), sides.output, c_.hidden()) : MPI_SUCCESS;
  }

  // Blocks of one size, one after another.
  const Program& regular_program(const Sides& sides) {
    const Side& any = sides.input.count > 0 ? sides.input : sides.output;
    const std::size_t block = any.bytes(any.first);
    const auto ranks = static_cast<std::size_t>(c_.ranks());
    return c_.programs().find(key(block * ranks), [&] {
      Layout layout;
      const int pieces = this->pieces(block * ranks);
      place_in_a_row(sides.input, pieces, layout.input);
      place_in_a_row(sides.output, pieces, layout.output);
      const Part mine = part(block * ranks);
      layout.scratch = scratch_like(even_split(block, pieces).units, mine);
      return program(mine, layout, byte_unit);
    });
  }

  int pieces(std::size_t bytes) const { return tutti::pieces(shape_of(plan_, setting(), call_.root, bytes)); }

  void place_in_a_row(const Side& side, int pieces, Blocks& blocks) const {
    blocks.clear(c_.ranks() * pieces);
    std::ptrdiff_t at = 0;
    for (int block = side.first; block < side.first + side.count; ++block) {
      blocks.set_pieces(block, pieces, at, side.bytes(block));
      at += static_cast<std::ptrdiff_t>(side.bytes(block));
    }
  }

  void place_as_displaced(const Side& side, int pieces, Blocks& blocks) const {
    blocks.clear(c_.ranks() * pieces);
    for (int block = side.first; block < side.first + side.count; ++block)
      blocks.set_pieces(block, pieces, side.displacement(block) * side.info->extent, side.bytes(block));
  }

  // Fills the communicator's layout with where an irregular call's blocks lie. Ranks that pass on blocks of
  // others are told their sizes first.
  int lay_out(const Sides& sides, bool stage_input, bool stage_output) {
    Layout& layout = c_.layout();
    if (const int error = agree_on_bytes(sides); error != MPI_SUCCESS) return error;
    const int pieces = this->pieces(agreed_bytes_);
    stage_input ? place_in_a_row(sides.input, pieces, layout.input)
                : place_as_displaced(sides.input, pieces, layout.input);
    stage_output ? place_in_a_row(sides.output, pieces, layout.output)
                 : place_as_displaced(sides.output, pieces, layout.output);
    layout.scratch.clear();
    layout.even = false;
    return plan_.relays() ? tell_sizes(layout) : MPI_SUCCESS;
  }

  // A plan that goes by bytes where ranks know of their own blocks only: what there would be if all were as
  // long as the longest.
  int agree_on_bytes(const Sides& sides) {
    agreed_bytes_ = 0;
    if (!plan_.goes_by_bytes()) return MPI_SUCCESS;
    std::uint64_t longest = 0, mine = 0;
    for (const Side* side : {&sides.input, &sides.output})
      for (int block = side->first; block < side->first + side->count; ++block)
        mine = std::max<std::uint64_t>(mine, side->bytes(block));
    const int error = native().allreduce(&mine, &longest, 1, MPI_UINT64_T, MPI_MAX, c_.hidden());
    agreed_bytes_ = longest * static_cast<std::uint64_t>(c_.ranks());
    return error;
  }

  // The same plan moves the sizes as it will move the blocks: where a block passes through scratch, its size
  // has passed before.
  int tell_sizes(Layout& layout) {
    constexpr std::uint64_t of_sizes = ~std::uint64_t{0};  // no type has that number
    constexpr std::size_t each = sizeof(std::size_t);
    const std::size_t all = layout.output.units.size();
    const Program& sizes = c_.programs().find(key(each * all, of_sizes), [&] {
      Layout of_equal;
      of_equal.input = of_equal.output = even_split(each * all, static_cast<int>(all));
      const Part mine = part(agreed_bytes_);
      of_equal.scratch.assign(static_cast<std::size_t>(mine.scratch_blocks()), each);
      return program(mine, of_equal, byte_unit);
    });
    std::vector<std::size_t>& output = c_.told_sizes();
    output = layout.output.units;
    layout.scratch.assign(sizes.scratch_units() / each, 0);
    base(Buffer::input) = bytes_of(layout.input.units.data());
    base(Buffer::output) = bytes_of(output.data());
    base(Buffer::scratch) = bytes_of(layout.scratch.data());
    const auto blocks = static_cast<std::size_t>(sizes.scratch_blocks());
    const int error = execute(sizes);
    layout.scratch.resize(blocks);  // beyond are packed messages
    return error;
  }

  const Program& irregular_program() {
    const Layout& layout = c_.layout();
    ProgramKey irregular = key(0);
    irregular.layout_hash = hash_of(layout);
    return c_.programs().find(irregular, layout, [&] {
      const Part mine = part(agreed_bytes_);
      if (plan_.relays()) return program(mine, layout, byte_unit);
      Layout bound = layout;
      bound.scratch = scratch_like(layout.output.units, mine);
      return program(mine, bound, byte_unit);
    });
  }

  static std::uint64_t hash_of(const Layout& layout) {
    std::uint64_t hash = 1;
    const auto add = [&hash](const auto& numbers) {
      for (const auto number : numbers) {
        hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
      }
    };
    for (const Blocks* blocks : {&layout.input, &layout.output}) {
      add(blocks->begin);
      add(blocks->units);
    }
    add(layout.scratch);
    return hash | 1;  // 0 means regular
  }

  // Elements that are reduced may begin before their address and reach beyond the next one's: the address for
  // `count` of them in the arena's memory.
  char* room_for_elements(std::size_t count, const TypeInfo& type) {
    if (count == 0) return nullptr;
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type.extent;
    const std::ptrdiff_t lowest = std::min<std::ptrdiff_t>(last, 0) + type.true_lb;
    return c_.arena().get(static_cast<std::size_t>(std::abs(last) + type.true_extent)) - lowest;
  }

  const void* input_of_reduction() const {
    return call_.sendbuf == MPI_IN_PLACE ? call_.recvbuf : call_.sendbuf;
  }

  void set_operation(MPI_Datatype type, MPI_Op op) {
    Operands& operands = c_.execution().operands();
    operands.type = type;
    operands.op = op;
    operands.commutative = commutative_;
    operands.predefined = is_predefined(op);
  }

  int reduce_vector() {
    const TypeInfo& type = *type_info(call_.recvtype);
    const Unit unit{call_.recvtype, type.extent, type.contiguous, type.size, commutative_};
    const Program& reduces = vector_program(static_cast<std::size_t>(call_.recvcount), unit, type.id);
    set_operation(call_.recvtype, call_.op);
    base(Buffer::input) = bytes_of(input_of_reduction());
    base(Buffer::output) = bytes_of(call_.recvbuf);
    base(Buffer::scratch) = room_for_elements(reduces.scratch_units(), type);
    return execute(reduces);
  }

  // The result of a call in place begins the buffer, over input that may still be needed.
  int reduce_scatter() {
    const TypeInfo& type = *type_info(call_.recvtype);
    const Unit unit{call_.recvtype, type.extent, type.contiguous, type.size, commutative_};
    const std::size_t own = elements_of(c_.rank());
    const Program& reduces = reduce_scatter_program(unit, type);
    set_operation(call_.recvtype, call_.op);
    const bool in_place = call_.sendbuf == MPI_IN_PLACE;
    only_executes_ = !in_place && !is_irregular(plan_.collective());
    const std::size_t scratch = reduces.scratch_units();
    char* const room = room_for_elements(scratch + (in_place ? own : 0), type);
    base(Buffer::input) = bytes_of(input_of_reduction());
    base(Buffer::scratch) = room;
    base(Buffer::output) =
        in_place ? room + static_cast<std::ptrdiff_t>(scratch) * type.extent : bytes_of(call_.recvbuf);
    const int error = execute(reduces);
    if (error != MPI_SUCCESS || !in_place || own == 0) return error;
    return copy_elements(base(Buffer::output), call_.recvbuf, own, call_.recvtype, type.contiguous,
                         type.extent, c_.hidden());
  }

  std::size_t elements_of(Rank rank) const {
    return static_cast<std::size_t>(is_irregular(plan_.collective()) ? call_.recvcounts[rank]
                                                                     : call_.recvcount);
  }

  const Program& reduce_scatter_program(const Unit& unit, const TypeInfo& type) {
    const auto ranks = static_cast<std::size_t>(c_.ranks());
    const auto make = [&] {
      const Part mine = part(0);
      Layout bound = c_.layout();
      bound.scratch = scratch_like(bound.input.units, mine);
      return program(mine, bound, unit);
    };
    if (!is_irregular(plan_.collective()))
      return c_.programs().find(key(static_cast<std::size_t>(call_.recvcount) * ranks, type.id), [&] {
        lay_out_elements();
        return make();
      });
    lay_out_elements();
    ProgramKey irregular = key(0, type.id);
    irregular.layout_hash = hash_of(c_.layout());
    return c_.programs().find(irregular, c_.layout(), make);
  }

  // The whole vector is the input, the rank's own block the output.
  void lay_out_elements() {
    Layout& layout = c_.layout();
    layout.input.clear(c_.ranks());
    layout.output.clear(c_.ranks());
    layout.scratch.clear();
    layout.even = !is_irregular(plan_.collective());
    std::ptrdiff_t at = 0;
    for (Rank rank = 0; rank < c_.ranks(); ++rank) {
      layout.input.set(rank, at, elements_of(rank));
      at += static_cast<std::ptrdiff_t>(elements_of(rank));
    }
    layout.output.set(c_.rank(), 0, elements_of(c_.rank()));
  }

  Communicator& c_;
  const Plan& plan_;
  const Call& call_;
  bool commutative_;
  std::size_t agreed_bytes_ = 0;      // of irregular calls, see agree_on_bytes
  const Program* program_ = nullptr;  // the last one
  bool only_executes_ = true;         // no more than that one
};

}  // namespace

int carry_out(Communicator& communicator, const Plan& plan, const Call& call, bool commutative,
              BoundCall* bound) {
  Carrier carrier(communicator, plan, call, commutative);
  const int error = carrier.run();
  if (bound) *bound = carrier.bound();
  return error;
}

}  // namespace tutti::runtime
