#include "core/schedule/semantics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/schedule/topology.hpp"

namespace tutti::inline core {
namespace {

// Schedules are made for regular collectives only.
[[noreturn]] void irregular(Collective collective) {
  throw std::invalid_argument(fmt::format("{} has no schedules of its own", name(collective)));
}

const Neighborhood::Edge* edge_of(const std::vector<Neighborhood::Edge>& edges, int block) {
  const auto edge = std::ranges::find(edges, block, &Neighborhood::Edge::block);
  return edge == edges.end() ? nullptr : &*edge;
}

bool is_present_between_neighbors(const Shape& shape, Rank rank, bool in, int block) {
  const Neighborhood& neighbors = (*shape.topology)[rank];
  if (!in) return edge_of(neighbors.in, block) != nullptr;
  if (shape.collective == Collective::neighbor_allgather) return block == 0;
  return edge_of(neighbors.out, block) != nullptr;
}

}  // namespace

bool is_present(const Shape& shape, Rank rank, Buffer buffer, int block) {
  const bool in = buffer == Buffer::input, root = rank == shape.root;
  const bool own = has_block_a_rank(shape.collective) && block / pieces(shape) == rank;
  switch (shape.collective) {
    case Collective::barrier:  // the token
    case Collective::bcast:    // the root's vector lies where all the others' will
      return !in;
    case Collective::gather:
      return in ? own : root;
    case Collective::scatter:
      return in ? root : own;
    case Collective::allgather:
      return in ? own : true;
    case Collective::reduce:
      return in || root;
    case Collective::reduce_scatter_block:
      return in || own;
    case Collective::alltoall:
    case Collective::allreduce:
    case Collective::scan:
    case Collective::exscan:
      return true;
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall:
      return is_present_between_neighbors(shape, rank, in, block);
    default:
      irregular(shape.collective);
  }
}

ValueId initial_value(const Shape& shape, Rank rank, Buffer buffer, int block, ValueTable& values) {
  const bool caller_gives = shape.collective == Collective::barrier ? buffer == Buffer::output
                            : shape.collective == Collective::bcast
                                ? buffer == Buffer::output && rank == shape.root
                                : buffer == Buffer::input && is_present(shape, rank, buffer, block);
  return caller_gives ? values.combined(block, rank, rank + 1) : undefined_value;
}

ValueId required_value(const Shape& shape, Rank rank, int block, ValueTable& values) {
  if (!is_present(shape, rank, Buffer::output, block)) return undefined_value;
  switch (shape.collective) {
    case Collective::barrier:  // nobody looks at the token; that all arrived is another matter
      return undefined_value;
    case Collective::bcast:
    case Collective::scatter:
      return values.combined(block, shape.root, shape.root + 1);
    case Collective::gather:
    case Collective::allgather: {
      const Rank owner = block / pieces(shape);
      return values.combined(block, owner, owner + 1);
    }
    case Collective::alltoall: {
      const Rank sender = block / pieces(shape);
      return values.combined(rank * pieces(shape) + block % pieces(shape), sender, sender + 1);
    }
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
      return values.combined(block, 0, shape.ranks);
    case Collective::scan:
      return values.combined_in_turn(block, rank + 1);
    case Collective::exscan:
      return rank == 0 ? undefined_value : values.combined_in_turn(block, rank);
    case Collective::neighbor_allgather:
    case Collective::neighbor_alltoall: {
      const auto from = shape.topology->origin(rank, *edge_of((*shape.topology)[rank].in, block));
      const bool all_get_one = shape.collective == Collective::neighbor_allgather;
      return values.combined(all_get_one ? 0 : from.block, from.peer, from.peer + 1);
    }
    default:
      irregular(shape.collective);
  }
}

}  // namespace tutti::inline core
