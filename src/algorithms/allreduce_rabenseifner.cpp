// Allreduce of long vectors: reduce-scatter by vector halving and distance doubling, then allgather by vector
// doubling and distance halving. Twice the vector in volume, each element reduced once a rank. Off the powers
// of two the surplus ranks first halve the vector with their neighbours, so that both work, and get the
// result at the end.

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/halving.hpp"

namespace tutti::families {
namespace {

// A pair reduces half of the vector each, then the even rank takes both halves.
void fold_pairs(Builder& b, int blocks) {
  const int lower = blocks / 2, upper = blocks - lower;
  if (b.rank() % 2 == 0) {
    b.recv(b.rank() + 1, scratch(0, lower));
    b.send(b.rank() + 1, output(lower, upper));
    b.reduce(output(0, lower), scratch(0, lower), OperandOrder::into_first);
    b.recv(b.rank() + 1, output(lower, upper));
  } else {
    b.recv(b.rank() - 1, scratch(lower, upper));
    b.send(b.rank() - 1, output(0, lower));
    b.reduce(output(lower, upper), scratch(lower, upper), OperandOrder::from_first);
    b.send(b.rank() - 1, output(lower, upper));
  }
}

}  // namespace

Family allreduce_rabenseifner() {
  return {{
      .collective = Collective::allreduce,
      .name = "rabenseifner",
      .summary = "reduce-scatter by halving, allgather by doubling",
      .wins = "long messages, powers of two",
      .source = thakur_2005,
      .section = "5.1",
      .blocks = [](int ranks, const Arguments&, std::size_t) { return power_of_two_below(ranks); },
      .generate =
          [](Builder& b, const Arguments&) {
            const Fold fold(b.ranks());
            b.copy(output(0, fold.size), input(0, fold.size));
            if (fold.in_pair(b.rank())) fold_pairs(b, fold.size);
            if (fold.steps_aside(b.rank())) {
              b.next_round();
              return b.recv(b.rank() - 1, output(0, fold.size));
            }
            const auto held = halving_reduce_scatter(b, fold);
            doubling_allgather(b, fold, held);
            b.next_round();
            if (fold.in_pair(b.rank())) b.send(b.rank() + 1, output(0, fold.size));
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        if (!is_power_of_two(p)) return std::nullopt;
        return Cost{2.0 * ceil_log2(p), 2.0 * (p - 1) / p, (p - 1.0) / p};
      },
  }};
}

}  // namespace tutti::families
