// Broadcast of long vectors: cut into p blocks, scattered down a binomial tree, then collected by
// everybody with an allgather. The volume is twice the vector instead of log2 p times.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/circulant.hpp"
#include "core/algorithms/patterns/knomial.hpp"
#include "core/algorithms/patterns/recursive_doubling.hpp"
#include "core/algorithms/patterns/ring.hpp"

namespace tutti::inline core::families {

Family bcast_scatter_allgather() {
  return {{
      .collective = Collective::bcast,
      .name = "scatter_allgather",
      .summary = "binomial scatter, then allgather",
      .wins = "long messages",
      .source = "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts, Interprocessor Collective Communication "
                "Library, 1994",
      .parameters = {{"allgather",
                      "how the scattered blocks are collected",
                      {"ring", "recursive_doubling", "circulant_near"}}},
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments& arguments) {
            const Team team{b.ranks(), b.root()};
            knomial_scatter(b, team, 2, [](int first, int count) { return output(first, count); });
            if (arguments.text("allgather") == "ring")
              ring_allgather(b, team);
            else if (arguments.text("allgather") == "recursive_doubling")
              recursive_doubling_allgather(b, team);
            else
              allgather(b, team, circulant_exchanges(b.ranks(), team.member(b.rank()), Largest::near));
          },
      .cost = [](int p, const Arguments& arguments) -> std::optional<Cost> {
        const double volume = 2.0 * (p - 1) / p;
        if (arguments.text("allgather") == "ring") return Cost{ceil_log2(p) + p - 1.0, volume, 0};
        if (!is_power_of_two(p) && arguments.text("allgather") == "recursive_doubling") return std::nullopt;
        return Cost{2.0 * ceil_log2(p), volume, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
