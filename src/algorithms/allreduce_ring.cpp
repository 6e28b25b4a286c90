// Allreduce around a ring: partial results of p blocks travel round once and are complete, then round again
// to reach everybody. 2(p − 1) rounds between neighbours; the least possible volume for any p.

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/ring.hpp"

namespace tutti::families {

Family allreduce_ring() {
  return {{
      .collective = Collective::allreduce,
      .name = "ring",
      .summary = "blocks travel round twice: reduced, then collected",
      .wins = "long vectors, any number of ranks",
      .source = "Patarasuk, Yuan, Bandwidth Optimal All-reduce Algorithms for Clusters of Workstations, 2009",
      .commutative_only = true,
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments&) {
            const Team team{b.ranks()};
            b.copy(output(0, b.ranks()), input(0, b.ranks()));
            ring_reduce_scatter(b, team);
            ring_allgather(b, team, 1);
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{2.0 * (p - 1), 2.0 * (p - 1) / p, (p - 1.0) / p};
      },
  }};
}

}  // namespace tutti::families
