// Allgather on a circulant graph: like Bruck's, with skips that halve p instead of doubling 1. ⌈log2 p⌉
// rounds and p − 1 blocks for any p, all ranks alike.

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/circulant.hpp"

namespace tutti::families {

Family allgather_circulant() {
  return {{
      .collective = Collective::allgather,
      .name = "circulant",
      .summary = "everybody talks to ranks ever farther away, by skips that halve p",
      .wins = "short and medium messages, any number of ranks",
      .source = "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024",
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments&) {
            b.copy(output(b.rank()), input(b.rank()));
            circulant_allgather(b);
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{double(ceil_log2(p)), (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::families
