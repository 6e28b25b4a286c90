#include "run/calls/call_execution.hpp"

#include <cstdlib>
#include <numeric>

#include "choose/evidence/call_class.hpp"
#include "run/execution/constants.hpp"
#include "run/execution/staging.hpp"
#include "run/mpi/reduction.hpp"

namespace tutti::run {
namespace {

const Unit byte_unit{MPI_BYTE, 1, true, 1};

// What programs that tell sizes go by in place of a type: no type has that number.
constexpr std::uint64_t of_sizes = ~std::uint64_t{0};

// How ranks tell a number: the root all others, or all each other. Nothing is combined, which not
// every MPI library does in every program.
const Plan& telling_plan(bool rooted) {
  static const auto& by_root = *new Plan(Plan::of(Collective::bcast, "binomial"));
  static const auto& by_all = *new Plan(Plan::of(Collective::allgather, "bruck"));
  return rooted ? by_root : by_all;  // calls may come when statics are gone
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// The sizes of the scratch blocks that a part uses, where each is as large as a block of the
// vector.
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

}  // namespace

int CallExecution::begin(bool knows_sizes) {
  knows_sizes_ = knows_sizes;
  w_.execution.operands() = {};
  switch (traits(plan_.collective()).regular) {
    case Collective::barrier:
      return barrier();
    case Collective::bcast:
      return bcast();
    case Collective::gather:
    case Collective::scatter:
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return move_blocks();
    case Collective::reduce_scatter_block:
      return reduce_scatter();
    default:
      return reduce_vector();
  }
}

// No bound call where more is done than to run a program, or another may be computed at any time.
BoundCall CallExecution::bound() const {
  return only_executes_ && !plan_.goes_by_network() ? BoundCall(c_, plan_, *program_, call_) : BoundCall();
}

// The program runs next, and `then` comes after it.
int CallExecution::execute(const Program& program, int (CallExecution::*then)()) {
  program_ = &program;
  then_ = then;
  has_arrived_ = false;
  if (device_staging_) {
    only_executes_ = false;
    w_.execution.operands().staging = device_staging_.get();
    device_staging_->begin(program, w_.execution.operands());
  }
  return MPI_SUCCESS;
}

// Between neighbours there is no root, but blocks may belong together otherwise when a call returns
// at once. Regular calls have agreed on no bytes: theirs follow from the units.
ProgramKey CallExecution::key_of(const Plan& plan, std::size_t units, std::uint64_t type_id) const {
  const bool on_neighbors = traits(plan.collective()).on_neighbors;
  return {plan.id(),
          on_neighbors ? static_cast<Rank>(mode_) : call_.root,
          units,
          type_id,
          commutative_,
          combines_whole(),
          0,
          network_ && plan.goes_by_network() ? network_->fingerprint : 0,
          computed_for(plan, agreed_bytes_)};
}

// Operations of the program's own may look at a vector as one.
bool CallExecution::combines_whole() const {
  return call_.op != MPI_OP_NULL && !is_predefined(call_.op);
}

Setting CallExecution::setting() const {
  Setting setting = c_.setting(commutative_);
  setting.network = network_;
  setting.longer = longer_;
  if (traits(plan_.collective()).on_neighbors)
    setting.topology = c_.topology_for({plan_.collective(), mode_});
  return setting;
}

// This rank's part for a vector of `bytes` bytes in all.
Part CallExecution::part(std::size_t bytes) const {
  return generate(plan_, shape_of(plan_, setting(), call_.root, bytes), c_.rank());
}

Program CallExecution::program_of(const Plan& plan, const Part& part, const Layout& layout,
                                  const Unit& unit) {
  if (mode_ == Mode::blocking && plan.uses_memory()) c_.share_memory();
  c_.prepare_phases(plan, call_.root, part);
  return Program(part, c_.surroundings(memory()), layout, unit);
}

// The program for a vector in as many even blocks as the plan likes.
const Program& CallExecution::vector_program(const Plan& plan, std::size_t units, const Unit& unit,
                                             std::uint64_t type_id) {
  return find(key_of(plan, units, type_id), [&] {
    const std::size_t bytes = units * static_cast<std::size_t>(std::abs(unit.extent));
    const Shape shape = shape_of(plan, setting(), call_.root, bytes);
    const Part mine = generate(plan, shape, c_.rank());
    const Blocks blocks = even_split(units, shape.blocks);
    const bool even = units % blocks.units.size() == 0;
    return program_of(plan, mine, {blocks, blocks, scratch_like(blocks.units, mine), even}, unit);
  });
}

// Each rank decides for itself: what goes over the wire is the same.
bool CallExecution::may_hand_over(std::size_t bytes_of_messages) const {
  return mpi_may_be_handed_devices && bytes_of_messages >= execution::least_handed_to_mpi &&
         mpi_takes_memory_of(device_->kind);
}

DeviceStaging& CallExecution::device_staging() {
  if (!device_staging_) device_staging_ = std::make_unique<DeviceStaging>(*device_);
  return *device_staging_;
}

// Rows are those of the type that vectors have.
RowsList CallExecution::rows_of_vector(std::size_t elements) const {
  return rows_of(elements, call_.recvtype, *type_info(call_.recvtype));
}

int CallExecution::finish_device_staging() {
  return device_staging_ ? device_staging_->finish() : MPI_SUCCESS;
}

int CallExecution::barrier() {
  const Program& token = vector_program(plan_, 1, byte_unit, 0);
  char* memory = w_.arena.get(1 + token.scratch_units());
  base(Buffer::output) = memory;
  base(Buffer::scratch) = memory + 1;
  return execute(token);
}

int CallExecution::bcast() {
  const TypeInfo& type = *type_info(call_.recvtype);
  const auto count = static_cast<std::size_t>(call_.recvcount);
  const std::size_t bytes = count * type.size;
  const Program& moves = vector_program(plan_, bytes, byte_unit, 0);
  const std::size_t scratch = aligned(moves.scratch_units());
  const bool on_device = count > 0 && is_on_device(bytes_of(call_.recvbuf) + type.true_lb);
  char* memory = w_.arena.get(scratch + (type.contiguous || on_device ? 0 : bytes));
  base(Buffer::scratch) = memory;
  char*& vector = base(Buffer::output);
  if (on_device) return bcast_on_device(moves);
  if (type.contiguous) {
    vector = bytes_of(call_.recvbuf);
    return execute(moves);
  }
  only_executes_ = false;
  vector = memory + scratch;
  if (c_.rank() != call_.root) return execute(moves, &CallExecution::unpack_vector);
  const int error = pack(call_.recvbuf, count, call_.recvtype, type, vector);
  return error == MPI_SUCCESS ? execute(moves) : error;
}

int CallExecution::bcast_on_device(const Program& moves) {
  const auto count = static_cast<std::size_t>(call_.recvcount);
  if (type_info(call_.recvtype)->contiguous && may_hand_over(moves.bytes_of_plain_messages())) {
    base(Buffer::output) = bytes_of(call_.recvbuf);
    w_.execution.operands().device = device_;
    ++device_counts.handed;
    return execute(moves);
  }
  const RowsList vector = rows_of_vector(count);
  const bool gives = c_.rank() == call_.root;
  base(Buffer::output) = device_staging().packed(bytes_of(call_.recvbuf), gives ? vector : RowsList{},
                                                 gives ? RowsList{} : vector);
  return execute(moves, &CallExecution::finish_device_staging);
}

int CallExecution::unpack_vector() {
  return unpack(base(Buffer::output), call_.recvbuf, static_cast<std::size_t>(call_.recvcount),
                call_.recvtype, *type_info(call_.recvtype));
}

// Whether a buffer's data have to be copied: what is not in order in memory, and the input of an
// operation whose output would overwrite it.
bool CallExecution::is_staged(const BlockBuffer& buffer) const {
  return buffer.count > 0 && !buffer.is_contiguous();
}

bool CallExecution::overwrites_input() const {
  return call_.sendbuf == MPI_IN_PLACE && !traits(plan_.collective()).aliases;
}

int CallExecution::move_blocks() {
  buffers_ = block_buffers(plan_.collective(), c_, call_);
  if (device_) {
    input_on_device_ = is_on_device(first_data(buffers_.input));
    output_on_device_ = is_on_device(first_data(buffers_.output));
    hands_over_ = (input_on_device_ || output_on_device_) && !overwrites_input() &&
                  mpi_may_be_handed_devices && mpi_takes_memory_of(device_->kind);
  }
  decide_staging();
  const bool stays = !is_irregular(plan_.collective()) || mode_ == Mode::persistent;
  only_executes_ = stays && !stage_input_ && !stage_output_;
  if (!is_irregular(plan_.collective())) {
    const Program& moves = regular_program(buffers_);
    hand_over_or_stage(moves);
    return move_by(moves);
  }
  return find_bytes();
}

// Data in order on a device need not be staged where the MPI library is handed them.
void CallExecution::decide_staging() {
  stage_input_ = is_staged(buffers_.input) || overwrites_input() || (input_on_device_ && !hands_over_);
  stage_output_ = is_staged(buffers_.output) || (output_on_device_ && !hands_over_);
}

// What can be handed over is known when there is a program.
void CallExecution::hand_over_or_stage(const Program& moves) {
  if (!hands_over_ || may_hand_over(moves.bytes_of_plain_messages())) return;
  hands_over_ = false;
  decide_staging();
}

// Staged blocks lie elsewhere, and so are moved by another program. All has been told that calls
// with the same arguments go by.
int CallExecution::move_as_laid_out() {
  knows_sizes_ = true;
  const Program& moves = irregular_program();
  if (!hands_over_) return move_by(moves);
  hand_over_or_stage(moves);
  if (hands_over_) return move_by(moves);
  place_blocks();
  return move_by(irregular_program());
}

int CallExecution::move_by(const Program& moves) {
  set_operation(MPI_BYTE, MPI_BOR);  // with it a reduction gathers what others cleared
  const bool input_here = stage_input_ && !input_on_device_,
             output_here = stage_output_ && !output_on_device_;
  const std::size_t scratch = aligned(moves.scratch_units());
  const std::size_t staged_input = input_here ? aligned(buffers_.input.bytes()) : 0;
  char* memory = w_.arena.get(scratch + staged_input + (output_here ? buffers_.output.bytes() : 0));
  base(Buffer::scratch) = memory;
  base(Buffer::input) = input_here ? memory + scratch : buffers_.input.address;
  base(Buffer::output) = output_here ? memory + scratch + staged_input : buffers_.output.address;
  if (input_here)
    if (const int error = pack(buffers_.input, base(Buffer::input)); error != MPI_SUCCESS) return error;
  if (stage_input_ && input_on_device_)
    base(Buffer::input) = device_staging().packed(buffers_.input.address, rows_of(buffers_.input), {});
  if (stage_output_ && output_on_device_) {
    const RowsList rows = rows_of(buffers_.output);
    base(Buffer::output) = device_staging().packed(
        buffers_.output.address, output_stays() ? rows : RowsList{}, output_stays() ? RowsList{} : rows);
  }
  if (hands_over_) {
    w_.execution.operands().device = device_;
    device_counts.handed += (input_on_device_ && !stage_input_) + (output_on_device_ && !stage_output_);
  }
  return execute(moves, stage_output_ || device_staging_ ? &CallExecution::unpack_output : nullptr);
}

// Where a scatter is in place the root's own block stays where it is, in a buffer that is not to be
// written.
bool CallExecution::output_stays() const {
  return call_.recvbuf == MPI_IN_PLACE;
}

int CallExecution::unpack_output() {
  if (stage_output_ && !output_on_device_ && !output_stays())
    if (const int error = unpack(base(Buffer::output), buffers_.output); error != MPI_SUCCESS) return error;
  return finish_device_staging();
}

// The program for blocks of one size, one after another.
const Program& CallExecution::regular_program(const BlockBuffers& buffers) {
  const BlockBuffer& any = buffers.input.count > 0 ? buffers.input : buffers.output;
  const std::size_t block = any.bytes(any.first);
  const auto ranks = static_cast<std::size_t>(c_.ranks());
  return find(key(block * ranks), [&] {
    Layout layout;
    const int pieces = this->pieces(block * ranks);
    place_in_a_row(buffers.input, pieces, layout.input);
    place_in_a_row(buffers.output, pieces, layout.output);
    const Part mine = part(block * ranks);
    layout.scratch = scratch_like(even_split(block, pieces).units, mine);
    return program(mine, layout, byte_unit);
  });
}

// Number of blocks of data that are moved, each of which may be cut into pieces.
int CallExecution::blocks() const {
  return traits(plan_.collective()).on_neighbors ? c_.topology()->blocks() : c_.ranks();
}

int CallExecution::pieces(std::size_t bytes) const {
  return tutti::pieces(shape_of(plan_, setting(), call_.root, bytes));
}

void CallExecution::place_in_a_row(const BlockBuffer& buffer, int pieces, Blocks& blocks) const {
  blocks.clear(this->blocks() * pieces);
  std::ptrdiff_t at = 0;
  for (int block = buffer.first; block < buffer.first + buffer.count; ++block) {
    blocks.set_pieces(block, pieces, at, buffer.bytes(block));
    at += static_cast<std::ptrdiff_t>(buffer.bytes(block));
  }
}

void CallExecution::place_as_displaced(const BlockBuffer& buffer, int pieces, Blocks& blocks) const {
  blocks.clear(this->blocks() * pieces);
  for (int block = buffer.first; block < buffer.first + buffer.count; ++block)
    blocks.set_pieces(block, pieces, buffer.offset(block), buffer.bytes(block));
}

void CallExecution::place_blocks() {
  Layout& layout = w_.layout;
  const int pieces = this->pieces(agreed_bytes_);
  stage_input_ ? place_in_a_row(buffers_.input, pieces, layout.input)
               : place_as_displaced(buffers_.input, pieces, layout.input);
  stage_output_ ? place_in_a_row(buffers_.output, pieces, layout.output)
                : place_as_displaced(buffers_.output, pieces, layout.output);
  layout.even = false;
}

// What an irregular plan goes by is the longest block. Where each rank knows its own blocks only,
// the root has them all, or all ranks tell each other.
int CallExecution::find_bytes() {
  if (!plan_.goes_by_bytes() || knows_sizes_) return go_by_bytes();
  const auto longest_in = [](const BlockBuffer& buffer) {
    std::uint64_t longest = 0;
    for (int block = buffer.first; block < buffer.first + buffer.count; ++block)
      longest = std::max<std::uint64_t>(longest, buffer.bytes(block));
    return longest;
  };
  std::vector<std::uint64_t>& told = w_.longest_blocks;
  told.assign(1, longest_in(buffers_.output));
  if (!has_own_sizes(plan_.collective())) return go_by_bytes();
  const std::uint64_t longest = std::max(longest_in(buffers_.input), told.front());
  told.front() = longest;
  const bool rooted = traits(plan_.collective()).rooted;
  if (!rooted) told.assign(static_cast<std::size_t>(c_.ranks()), longest);
  const Program& tells =
      vector_program(telling_plan(rooted), told.size() * sizeof longest, byte_unit, of_sizes);
  base(Buffer::input) = base(Buffer::output) = bytes_of(told.data());
  base(Buffer::scratch) = w_.arena.get(tells.scratch_units());
  return execute(tells, &CallExecution::go_by_bytes);
}

// Lays an irregular call's blocks out where they lie, as if all were as long as the longest. Where
// all ranks know all blocks it counts, too, by how much that one is longer than the mean.
int CallExecution::go_by_bytes() {
  if (plan_.goes_by_bytes()) {
    const auto ranks = static_cast<std::uint64_t>(c_.ranks());
    const std::uint64_t longest = *std::ranges::max_element(w_.longest_blocks);
    agreed_bytes_ = longest * ranks;
    if (!has_own_sizes(plan_.collective())) longer_ = longest - buffers_.output.bytes() / ranks;
  }
  if (!knows_sizes_) w_.layout.scratch.clear();
  place_blocks();
  return plan_.relays() && !knows_sizes_ ? tell_sizes() : move_as_laid_out();
}

// Ranks that pass on blocks of others are told their sizes first. The same plan moves the sizes as
// it will move the blocks: where a block passes through scratch, its size has passed before.
int CallExecution::tell_sizes() {
  Layout& layout = w_.layout;
  constexpr std::size_t each = sizeof(std::size_t);
  const std::size_t all = layout.output.units.size();
  const Program& sizes = find(key(each * all, of_sizes), [&] {
    Layout of_equal;
    of_equal.input = of_equal.output = even_split(each * all, static_cast<int>(all));
    const Part mine = part(agreed_bytes_);
    of_equal.scratch.assign(static_cast<std::size_t>(mine.scratch_blocks()), each);
    return program(mine, of_equal, byte_unit);
  });
  std::vector<std::size_t>& output = w_.told_sizes;
  output = layout.output.units;
  layout.scratch.assign(sizes.scratch_units() / each, 0);
  base(Buffer::input) = bytes_of(layout.input.units.data());
  base(Buffer::output) = bytes_of(output.data());
  base(Buffer::scratch) = bytes_of(layout.scratch.data());
  return execute(sizes, &CallExecution::go_by_sizes);
}

int CallExecution::go_by_sizes() {
  w_.layout.scratch.resize(
      static_cast<std::size_t>(program_->scratch_blocks()));  // beyond are packed messages
  return move_as_laid_out();
}

const Program& CallExecution::irregular_program() {
  const Layout& layout = w_.layout;
  ProgramKey irregular = key(0);
  irregular.layout_hash = hash_of(layout);
  return find(irregular, layout, [&] {
    const Part mine = part(agreed_bytes_);
    if (plan_.relays()) return program(mine, layout, byte_unit);
    Layout bound = layout;
    bound.scratch = scratch_like(layout.output.units, mine);
    return program(mine, bound, byte_unit);
  });
}

std::uint64_t CallExecution::hash_of(const Layout& layout) {
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

// Elements that are reduced may begin before their address and reach beyond the next one's: the
// address for
// `count` of them in the arena's memory.
char* CallExecution::room_for_elements(std::size_t count, const TypeInfo& type) {
  if (count == 0) return nullptr;
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type.extent;
  const std::ptrdiff_t lowest = std::min<std::ptrdiff_t>(last, 0) + type.true_lb;
  return w_.arena.get(static_cast<std::size_t>(std::abs(last) + type.true_extent)) - lowest;
}

const void* CallExecution::input_of_reduction() const {
  return call_.sendbuf == MPI_IN_PLACE ? call_.recvbuf : call_.sendbuf;
}

void CallExecution::set_operation(MPI_Datatype type, MPI_Op op) {
  Operands& operands = w_.execution.operands();
  operands.type = type;
  operands.op = op;
  operands.commutative = commutative_;
  operands.predefined = is_predefined(op);
}

int CallExecution::reduce_vector() {
  const TypeInfo& type = *type_info(call_.recvtype);
  const Unit unit{call_.recvtype, type.extent, type.contiguous, type.size, commutative_, combines_whole()};
  const Program& reduces = vector_program(plan_, static_cast<std::size_t>(call_.recvcount), unit, type.id);
  set_operation(call_.recvtype, call_.op);
  const bool gets = c_.rank() == call_.root || !traits(plan_.collective()).rooted;
  const bool first = plan_.collective() == Collective::exscan && c_.rank() == 0;
  const auto count = static_cast<std::size_t>(call_.recvcount);
  place_operands(count, gets && !first ? count : 0);
  base(Buffer::scratch) = room_for_elements(reduces.scratch_units(), type);
  return execute(reduces, device_staging_ ? &CallExecution::finish_device_staging : nullptr);
}

// What a reduction is given and gets, in elements, is where the call says, or is staged.
void CallExecution::place_operands(std::size_t given, std::size_t got) {
  const bool in_place = call_.sendbuf == MPI_IN_PLACE;
  const std::ptrdiff_t first = type_info(call_.recvtype)->true_lb;
  char* const input = bytes_of(input_of_reduction());
  char* const output = bytes_of(call_.recvbuf);
  base(Buffer::input) = input;
  base(Buffer::output) = output;
  if (given > 0 && is_on_device(input + first))
    base(Buffer::input) = device_staging().as_laid_out(input, rows_of_vector(given),
                                                       in_place ? rows_of_vector(got) : RowsList{});
  if (in_place)
    base(Buffer::output) = base(Buffer::input);
  else if (got > 0 && is_on_device(output + first))
    base(Buffer::output) = device_staging().as_laid_out(output, {}, rows_of_vector(got));
}

// The result of a call in place begins the buffer, over input that may still be needed.
int CallExecution::reduce_scatter() {
  const TypeInfo& type = *type_info(call_.recvtype);
  const Unit unit{call_.recvtype, type.extent, type.contiguous, type.size, commutative_, combines_whole()};
  const std::size_t own = elements_of(c_.rank());
  const Program& reduces = reduce_scatter_program(unit, type);
  set_operation(call_.recvtype, call_.op);
  const bool in_place = call_.sendbuf == MPI_IN_PLACE;
  only_executes_ = !in_place && !is_irregular(plan_.collective());
  const std::size_t scratch = reduces.scratch_units();
  char* const room = room_for_elements(scratch + (in_place ? own : 0), type);
  place_operands(elements_of_all(), in_place ? 0 : own);
  base(Buffer::scratch) = room;
  if (in_place) base(Buffer::output) = room + static_cast<std::ptrdiff_t>(scratch) * type.extent;
  if (in_place && own > 0 && is_on_device(bytes_of(call_.recvbuf) + type.true_lb))
    base(Buffer::output) = device_staging().as_laid_out(bytes_of(call_.recvbuf), {}, rows_of_vector(own));
  if (device_staging_) return execute(reduces, &CallExecution::finish_device_staging);
  return execute(reduces, in_place && own > 0 ? &CallExecution::bring_own_block : nullptr);
}

// The number is that of the whole vector, which is reduced and scattered.
std::size_t CallExecution::elements_of_all() const {
  std::size_t elements = 0;
  for (Rank rank = 0; device_ && rank < c_.ranks(); ++rank) elements += elements_of(rank);
  return elements;
}

int CallExecution::bring_own_block() {
  const TypeInfo& type = *type_info(call_.recvtype);
  return copy_elements(base(Buffer::output), call_.recvbuf, elements_of(c_.rank()), call_.recvtype,
                       type.contiguous, type.extent);
}

std::size_t CallExecution::elements_of(Rank rank) const {
  return static_cast<std::size_t>(is_irregular(plan_.collective()) ? call_.recvcounts[rank]
                                                                   : call_.recvcount);
}

const Program& CallExecution::reduce_scatter_program(const Unit& unit, const TypeInfo& type) {
  const auto ranks = static_cast<std::size_t>(c_.ranks());
  const auto make = [&] {
    const Part mine = part(0);
    Layout bound = w_.layout;
    bound.scratch = scratch_like(bound.input.units, mine);
    return program(mine, bound, unit);
  };
  if (!is_irregular(plan_.collective()))
    return find(key(static_cast<std::size_t>(call_.recvcount) * ranks, type.id), [&] {
      lay_out_elements();
      return make();
    });
  lay_out_elements();
  ProgramKey irregular = key(0, type.id);
  irregular.layout_hash = hash_of(w_.layout);
  return find(irregular, w_.layout, make);
}

// The whole vector is the input, the rank's own block the output.
void CallExecution::lay_out_elements() {
  Layout& layout = w_.layout;
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

}  // namespace tutti::run
