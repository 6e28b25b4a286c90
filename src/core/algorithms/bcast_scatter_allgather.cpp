// Broadcast of long vectors: cut into p blocks, scattered down a binomial tree, then collected by
// everybody with an allgather. The volume is twice the vector instead of log2 p times.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/butterfly.hpp"
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
                      {"ring", "recursive_doubling", "circulant_near", "recursive_doubling_near"}}},
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments& arguments) {
            const Team team{b.ranks(), b.root()};
            const std::string_view by = arguments.text("allgather");
            knomial_scatter(b, team, 2, [](int first, int count) { return output(first, count); });
            if (by == "ring") return ring_allgather(b, team);
            if (by == "recursive_doubling") return recursive_doubling_allgather(b, team);
            if (by == "recursive_doubling_near")
              return allgather(b, team, by_butterfly(b.ranks(), team.member(b.rank()), digit_partner));
            allgather(b, team, circulant_exchanges(b.ranks(), team.member(b.rank()), Largest::near));
          },
      .cost = [](int p, const Arguments& arguments) -> std::optional<Cost> {
        const double volume = 2.0 * (p - 1) / p;
        const std::string_view by = arguments.text("allgather");
        if (by == "ring") return Cost{ceil_log2(p) + p - 1.0, volume, 0};
        if (!is_power_of_two(p) && by.starts_with("recursive_doubling")) return std::nullopt;
        return Cost{2.0 * ceil_log2(p), volume, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
