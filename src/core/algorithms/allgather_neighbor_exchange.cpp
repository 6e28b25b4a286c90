// Allgather between neighbours that take turns, for even p: pairs exchange their own blocks, then
// in every round each rank passes the two blocks it got last to its other neighbour. p/2 rounds and
// the least volume.

#include "core/algorithms/algorithm.hpp"

namespace tutti::inline core::families {
namespace {

void neighbor_exchange(Builder& b, const Arguments&) {
  const int p = b.ranks();
  const Rank me = b.rank();
  const bool even = me % 2 == 0;
  const auto around = [p](int rank) { return (rank + p) % p; };
  b.copy(output(me), input(me));
  if (p == 1) return;
  // Even ranks begin with the neighbour to the right, odd ones to the left.
  b.recv(around(even ? me + 1 : me - 1), output(around(even ? me + 1 : me - 1)));
  b.send(around(even ? me + 1 : me - 1), input(me));
  // Pairs are named by their even rank. Even ranks hear of pairs further to the left and the right
  // in turn.
  int left = even ? me : me - 1, right = left;
  int last = left;
  for (int round = 1; round < p / 2; ++round) {
    const bool to_left = even == (round % 2 == 1);
    const Rank partner = around(to_left ? me - 1 : me + 1);
    const int news = to_left ? around(left - 2) : around(right + 2);
    (to_left ? left : right) = news;
    b.next_round();
    b.recv(partner, output(news, 2));
    b.send(partner, output(last, 2));
    last = news;
  }
}

}  // namespace

Family allgather_neighbor_exchange() {
  return {{
      .collective = Collective::allgather,
      .name = "neighbor_exchange",
      .summary = "pairs of blocks pass between neighbours that take turns",
      .wins = "long messages on an even number of ranks",
      .source = "Chen, Zhang, Wang, Yuan, Performance Evaluation of Allgather Algorithms on Terascale Linux "
                "Cluster with Fast Ethernet, 2005",
      .even_ranks_only = true,
      .blocks = block_a_rank,
      .generate = neighbor_exchange,
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{p / 2.0, (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
