// Allreduce on a circulant graph: reduce-scatter by skips that halve p, then allgather by the same skips.
// 2⌈log2 p⌉ rounds and the least possible volume for any p: no step more off the powers of two.

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/circulant.hpp"

namespace tutti::families {

Family allreduce_circulant() {
  return {{
      .collective = Collective::allreduce,
      .name = "circulant",
      .summary = "reduce-scatter, then allgather, by skips that halve p",
      .wins = "all but the shortest messages, any number of ranks",
      .source = "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024",
      .commutative_only = true,
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments&) {
            b.copy(output(0, b.ranks()), input(0, b.ranks()));
            circulant_reduce_scatter(b);
            circulant_allgather(b);
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{2.0 * ceil_log2(p), 2.0 * (p - 1) / p, (p - 1.0) / p};
      },
  }};
}

}  // namespace tutti::families
