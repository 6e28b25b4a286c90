// Allreduce by recursive doubling: partners at doubling distance exchange their whole partial
// results. log2 p rounds for powers of two, two more otherwise (the surplus ranks are folded away
// first).
//
// Both partners compute the same reduction from the same operands in the same order, so that the
// result is the same bit for bit everywhere. The lower rank therefore keeps its new partial result
// where the partner's arrived; it starts in scratch if that makes the last one end in the output.

#include <bit>
#include <utility>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/fold.hpp"

namespace tutti::inline core::families {

Family allreduce_recursive_doubling() {
  return {{
      .collective = Collective::allreduce,
      .name = "recursive_doubling",
      .summary = "partners exchange whole partial results at doubling distance",
      .wins = "short messages",
      .source = thakur_2005,
      .section = "4.5",
      .keeps_fixed_order = on_powers_of_two,
      .blocks = one_block,
      .generate =
          [](Builder& b, const Arguments&) {
            const Fold fold(b.ranks());
            if (fold.steps_aside(b.rank())) {
              b.send(Fold::neighbour(b.rank()), input(0));
              b.next_round();
              return b.recv(Fold::neighbour(b.rank()), output(0));
            }
            const int me = fold.member(b.rank());
            const int moves = (fold.in_pair(b.rank()) ? 1 : 0) + floor_log2(fold.size) -
                              std::popcount(static_cast<unsigned>(me));
            BlockRange partial = moves % 2 == 0 ? output(0) : scratch(0);
            BlockRange other = moves % 2 == 0 ? scratch(0) : output(0);
            b.copy(partial, input(0));
            if (fold.in_pair(b.rank())) {
              b.recv(Fold::neighbour(b.rank()), other);
              std::swap(partial, other);
              b.reduce(partial, other, OperandOrder::from_first);
            }
            for (int distance = 1; distance < fold.size; distance *= 2) {
              const Rank partner = fold.rank(me ^ distance);
              b.next_round();
              b.recv(partner, other);
              b.send(partner, partial);
              if (partner > b.rank()) std::swap(partial, other);
              b.reduce(partial, other, OperandOrder::from_first);
            }
            if (fold.in_pair(b.rank())) b.send(Fold::neighbour(b.rank()), output(0));
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        if (!is_power_of_two(p)) return std::nullopt;
        const double q = ceil_log2(p);
        return Cost{q, q, q};
      },
  }};
}

}  // namespace tutti::inline core::families
