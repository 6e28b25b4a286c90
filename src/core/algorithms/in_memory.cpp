// Operations that the ranks of one host carry out in memory that they share. What they do there is
// in run/execution/in_memory.hpp; here each is one phase, and on ranks of other hosts the MPI
// library's own.

#include <numeric>

#include "core/algorithms/algorithm.hpp"

namespace tutti::inline core::families {
namespace {

void one_phase(Builder& b, const Arguments&) {
  const Shape& shape = b.shape();
  NativePhase phase{.collective = shape.collective,
                    .group = {},
                    .root = shape.root,
                    .in_memory = true,
                    .into = {},
                    .from = {}};
  if (shape.collective != Collective::barrier) {
    if (b.ranks() == 1) return b.copy(output(0), input(0));
    phase.from = {input(0)};
    const bool gets = shape.collective == Collective::allreduce || b.rank() == shape.root;
    phase.into = {gets ? Ranges(output(0)) : Ranges()};
  }
  phase.group.resize(static_cast<std::size_t>(b.ranks()));
  std::iota(phase.group.begin(), phase.group.end(), 0);
  b.native(std::move(phase));
}

Algorithm memory_reduce(Collective collective) {
  return {.collective = collective,
          .name = "memory_reduce",
          .summary = "all ranks of the host combine slices of each other's vectors where they lie",
          .wins = "ranks of one host",
          .source =
              "Graham, Shipman, MPI Support for Multi-core Architectures: Optimized Shared Memory "
              "Collectives, 2008",
          .in_memory = true,
          .blocks = one_block,
          .generate = one_phase};
}

}  // namespace

Family in_memory() {
  return {
      {.collective = Collective::barrier,
       .name = "memory_flags",
       .summary = "every rank of the host raises a flag and looks at all others'",
       .wins = "ranks of one host",
       .source = "Mellor-Crummey, Scott, Algorithms for Scalable Synchronization on Shared-Memory "
                 "Multiprocessors, 1991",
       .in_memory = true,
       .blocks = one_block,
       .generate = one_phase},
      memory_reduce(Collective::reduce),
      memory_reduce(Collective::allreduce),
  };
}

}  // namespace tutti::inline core::families
