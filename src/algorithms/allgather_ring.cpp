// Allgather around a ring. p − 1 rounds, each of one block between neighbours: the least possible volume.

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/ring.hpp"

namespace tutti::families {

Family allgather_ring() {
  return {{
      .collective = Collective::allgather,
      .name = "ring",
      .summary = "blocks travel from neighbour to neighbour",
      .wins = "long messages, neighbours on fast links",
      .source = thakur_2005,
      .section = "4.1",
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments&) {
            b.copy(output(b.rank()), input(b.rank()));
            ring_allgather(b, Team{b.ranks()});
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{p - 1.0, (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::families
