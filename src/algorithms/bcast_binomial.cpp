// Broadcast down a binomial tree. ⌈log2 p⌉ rounds, each of the whole vector.

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/binomial.hpp"

namespace tutti::families {

Family bcast_binomial() {
  return {{
      .collective = Collective::bcast,
      .name = "binomial",
      .summary = "the whole vector down a binomial tree",
      .wins = "short messages",
      .source = thakur_2005,
      .section = "4.2",
      .blocks = one_block,
      .generate =
          [](Builder& b, const Arguments&) {
            binomial_bcast(b, Team{b.ranks(), b.shape().root}, 1);
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{double(ceil_log2(p)), double(ceil_log2(p)), 0};
      },
  }};
}

}  // namespace tutti::families
