// Around a ring every rank talks to its two neighbours only: p − 1 rounds of one block for an
// allgather, as many for a reduce-scatter; the least possible volume for any p.

#include "core/algorithms/patterns/ring.hpp"

#include "core/algorithms/algorithm.hpp"

namespace tutti::inline core::families {
namespace {

void allgather(Builder& b, const Arguments&) {
  b.copy(output(b.rank()), input(b.rank()));
  ring_allgather(b, Team{b.ranks()});
}

void allreduce(Builder& b, const Arguments&) {
  const Team team{b.ranks()};
  ring_reduce_scatter(b, team, workspace(b));
  ring_allgather(b, team, 1);
}

// Complete blocks go straight to the root.
void reduce(Builder& b, const Arguments&) {
  const Workspace space = workspace(b);
  ring_reduce_scatter(b, Team{b.ranks()}, space);
  const int mine = (b.rank() + 1) % b.ranks();
  b.next_round();
  if (b.rank() != b.root()) return b.send(b.root(), space.partial.at(mine));
  for (int i = 1; i < b.ranks(); ++i) {
    const Rank from = (b.rank() + i) % b.ranks();
    b.recv(from, output((from + 1) % b.ranks()));
  }
}

}  // namespace

Family ring() {
  return {
      {.collective = Collective::allgather,
       .name = "ring",
       .summary = "blocks travel from neighbour to neighbour",
       .wins = "long messages, neighbours on fast links",
       .source = thakur_2005,
       .section = "4.1",
       .blocks = block_a_rank,
       .generate = allgather,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{p - 1.0, (p - 1.0) / p, 0};
       }},
      {.collective = Collective::reduce,
       .name = "ring",
       .summary = "blocks travel round and are reduced, then go straight to the root",
       .wins = "long vectors, any number of ranks",
       .source = thakur_2005,
       .section = "5.3",
       .commutative_only = true,
       .blocks = block_a_rank,
       .generate = reduce,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{2.0 * (p - 1), 2.0 * (p - 1) / p, (p - 1.0) / p};
       }},
      {.collective = Collective::allreduce,
       .name = "ring",
       .summary = "blocks travel round twice: reduced, then collected",
       .wins = "long vectors, any number of ranks",
       .source = thakur_2005,
       .section = "5.3",
       .commutative_only = true,
       .blocks = block_a_rank,
       .generate = allreduce,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{2.0 * (p - 1), 2.0 * (p - 1) / p, (p - 1.0) / p};
       }},
  };
}

}  // namespace tutti::inline core::families
