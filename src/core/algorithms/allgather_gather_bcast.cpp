// Allgather as a gather to rank 0 and a binomial broadcast of the whole result: what LAM-MPI did
// (with a linear gather). A baseline; it wins where everything has to pass one rank anyway.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/knomial.hpp"

namespace tutti::inline core::families {
namespace {

void linear_gather(Builder& b) {
  if (b.rank() != 0) return b.send(0, output(b.rank()));
  for (Rank from = 1; from < b.ranks(); ++from) b.recv(from, output(from));
}

}  // namespace

Family allgather_gather_bcast() {
  return {{
      .collective = Collective::allgather,
      .name = "gather_bcast",
      .summary = "gather to rank 0, then binomial broadcast",
      .wins = "a baseline: few ranks, or one rank in the middle of the network",
      .source = "Burns, Daoud, Vaigl, LAM: An Open Cluster Environment for MPI, 1994",
      .parameters = {{"gather", "how rank 0 collects the blocks", {"binomial", "linear"}}},
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments& arguments) {
            const Team team{b.ranks()};
            b.copy(output(b.rank()), input(b.rank()));
            if (arguments.text("gather") == "binomial")
              knomial_gather(b, team, 2, [](int first, int count) { return output(first, count); });
            else
              linear_gather(b);
            knomial_bcast(b, team, 2);
          },
  }};
}

}  // namespace tutti::inline core::families
