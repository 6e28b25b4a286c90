#include "runtime/carry_out.hpp"

#include <cstdlib>

#include "runtime/staging.hpp"

namespace tutti::runtime {
namespace {

constexpr Unit byte_unit{MPI_BYTE, 1, true};

char* bytes_of(const void* buffer) {
  return const_cast<char*>(static_cast<const char*>(buffer));
}

// The program of a call, from the cache or made. `input_begin`: the block the caller's input begins with.
const Program& program_for(Communicator& c, const Plan& plan, Rank root, std::size_t units, const Unit& unit,
                           std::uint64_t type_id, int input_begin) {
  return c.programs().find({plan.id(), root, units, type_id}, [&] {
    const std::size_t bytes = units * static_cast<std::size_t>(std::abs(unit.extent));
    const Shape shape = shape_of(plan, c.ranks(), root, bytes);
    return Program(generate(plan, shape, c.rank()), Layout(units, shape.blocks), unit, input_begin,
                   [&c](const std::vector<Rank>& group) { return c.group_comm(group); });
  });
}

int run(Communicator& c, const Program& program) {
  c.execution().start(program, c.hidden());
  return c.execution().wait();
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

}  // namespace

int carry_out(Communicator& c, const Plan& plan, const BcastCall& call) {
  const TypeInfo& type = *type_info(call.type);
  const std::size_t bytes = static_cast<std::size_t>(call.count) * type.size;
  const Program& program = program_for(c, plan, call.root, bytes, byte_unit, 0, 0);

  const std::size_t scratch = aligned(program.scratch_units());
  char* memory = c.arena().get(scratch + (type.contiguous ? 0 : bytes));
  Operands& operands = c.execution().operands();
  operands.base[static_cast<int>(Buffer::scratch)] = memory;
  char*& vector = operands.base[static_cast<int>(Buffer::output)];
  if (type.contiguous) {
    vector = bytes_of(call.buffer);
    return run(c, program);
  }
  vector = memory + scratch;
  const auto count = static_cast<std::size_t>(call.count);
  if (c.rank() == call.root) {
    if (const int error = pack(call.buffer, count, call.type, type, vector, c.hidden()); error != MPI_SUCCESS)
      return error;
    return run(c, program);
  }
  if (const int error = run(c, program); error != MPI_SUCCESS) return error;
  return unpack(vector, call.buffer, count, call.type, type, c.hidden());
}

int carry_out(Communicator& c, const Plan& plan, const AllgatherCall& call) {
  const bool in_place = call.sendbuf == MPI_IN_PLACE;
  const TypeInfo& recvtype = *type_info(call.recvtype);
  const TypeInfo& sendtype = in_place ? recvtype : *type_info(call.sendtype);
  const std::size_t block = static_cast<std::size_t>(call.recvcount) * recvtype.size;
  const auto ranks = static_cast<std::size_t>(c.ranks());
  const Program& program = program_for(c, plan, 0, block * ranks, byte_unit, 0, c.rank());

  const bool stage_input = !in_place && !sendtype.contiguous, stage_output = !recvtype.contiguous;
  const std::size_t scratch = aligned(program.scratch_units()), own = stage_input ? aligned(block) : 0;
  char* memory = c.arena().get(scratch + own + (stage_output ? block * ranks : 0));
  Operands& operands = c.execution().operands();
  operands.base[static_cast<int>(Buffer::scratch)] = memory;
  char*& input = operands.base[static_cast<int>(Buffer::input)];
  char*& output = operands.base[static_cast<int>(Buffer::output)];

  output = stage_output ? memory + scratch + own : bytes_of(call.recvbuf);
  char* const own_block = output + static_cast<std::size_t>(c.rank()) * block;
  int error = MPI_SUCCESS;
  if (in_place) {
    input = own_block;
    if (stage_output) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(c.rank()) * call.recvcount * recvtype.extent;
      error = pack(bytes_of(call.recvbuf) + first, static_cast<std::size_t>(call.recvcount), call.recvtype,
                   recvtype, own_block, c.hidden());
    }
  } else if (stage_input) {
    input = memory + scratch;
    error = pack(call.sendbuf, static_cast<std::size_t>(call.sendcount), call.sendtype, sendtype, input,
                 c.hidden());
  } else {
    input = bytes_of(call.sendbuf);
  }
  if (error == MPI_SUCCESS) error = run(c, program);
  if (error == MPI_SUCCESS && stage_output)
    error = unpack(output, call.recvbuf, static_cast<std::size_t>(call.recvcount) * ranks, call.recvtype,
                   recvtype, c.hidden());
  return error;
}

int carry_out(Communicator& c, const Plan& plan, const AllreduceCall& call) {
  const TypeInfo& type = *type_info(call.type);
  const Unit unit{call.type, type.extent, type.contiguous};
  const Program& program = program_for(c, plan, 0, static_cast<std::size_t>(call.count), unit, type.id, 0);

  Operands& operands = c.execution().operands();
  operands.type = call.type;
  operands.op = call.op;
  if (program.reorders()) {
    int commutative = 0;
    if (const int error = PMPI_Op_commutative(call.op, &commutative); error != MPI_SUCCESS) return error;
    operands.commutative = commutative != 0;
  }
  operands.base[static_cast<int>(Buffer::output)] = bytes_of(call.recvbuf);
  operands.base[static_cast<int>(Buffer::input)] =
      bytes_of(call.sendbuf == MPI_IN_PLACE ? call.recvbuf : call.sendbuf);
  if (const std::size_t units = program.scratch_units(); units > 0) {
    // Elements may begin before their address and reach beyond the next one's.
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(units - 1) * type.extent;
    const std::ptrdiff_t lowest = std::min<std::ptrdiff_t>(last, 0) + type.true_lb;
    char* memory = c.arena().get(static_cast<std::size_t>(std::abs(last) + type.true_extent));
    operands.base[static_cast<int>(Buffer::scratch)] = memory - lowest;
  }
  return run(c, program);
}

}  // namespace tutti::runtime
