// Allreduce as a binomial reduce to rank 0 and a binomial broadcast: what MPI libraries did first. A
// baseline.

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/binomial.hpp"

namespace tutti::families {

Family allreduce_reduce_bcast() {
  return {{
      .collective = Collective::allreduce,
      .name = "reduce_bcast",
      .summary = "binomial reduce to rank 0, then binomial broadcast",
      .wins = "a baseline: short messages off the powers of two",
      .source = thakur_2005,
      .section = "4.5",
      .blocks = one_block,
      .generate =
          [](Builder& b, const Arguments&) {
            const Team team{b.ranks()};
            b.copy(output(0), input(0));
            binomial_reduce(b, team, 1);
            binomial_bcast(b, team, 1);
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        const double q = ceil_log2(p);
        return Cost{2 * q, 2 * q, q};
      },
  }};
}

}  // namespace tutti::families
