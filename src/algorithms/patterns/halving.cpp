#include "algorithms/patterns/halving.hpp"

namespace tutti {

std::vector<BlockRange> halving_reduce_scatter(Builder& b, const Fold& fold) {
  const int me = fold.member(b.rank());
  std::vector<BlockRange> held{output(0, fold.size)};
  for (int distance = 1; distance < fold.size; distance *= 2) {
    const bool lower = (me & distance) == 0;
    const Rank partner = fold.rank(me ^ distance);
    const int half = held.back().count / 2, first = held.back().first;
    const int keep = lower ? first : first + half, give = lower ? first + half : first;
    b.next_round();
    b.recv(partner, scratch(keep, half));
    b.send(partner, output(give, half));
    b.reduce(output(keep, half), scratch(keep, half),
             lower ? OperandOrder::into_first : OperandOrder::from_first);
    held.push_back(output(keep, half));
  }
  return held;
}

void doubling_allgather(Builder& b, const Fold& fold, const std::vector<BlockRange>& held) {
  const int me = fold.member(b.rank());
  for (std::size_t round = held.size() - 1; round > 0; --round) {
    const int distance = 1 << (round - 1);
    const BlockRange mine = held[round], both = held[round - 1];
    const int theirs = mine.first == both.first ? mine.first + mine.count : both.first;
    b.next_round();
    b.recv(fold.rank(me ^ distance), output(theirs, mine.count));
    b.send(fold.rank(me ^ distance), mine);
  }
}

}  // namespace tutti
