#include "algorithms/patterns/circulant.hpp"

#include <algorithm>

namespace tutti {

std::vector<int> circulant_skips(int ranks) {
  std::vector<int> skips{ranks};
  while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
  std::reverse(skips.begin(), skips.end());
  return skips;
}

void circulant_allgather(Builder& b) {
  const int p = b.ranks();
  const Rank me = b.rank();
  const auto skips = circulant_skips(p);
  for (std::size_t k = 0; k + 1 < skips.size(); ++k) {
    const int skip = skips[k], count = skips[k + 1] - skip;
    b.next_round();
    b.recv((me + skip) % p, cyclic(Buffer::output, me + skip, count, p));
    b.send((me - skip + p) % p, cyclic(Buffer::output, me, count, p));
  }
}

void circulant_reduce_scatter(Builder& b) {
  const int p = b.ranks();
  const Rank me = b.rank();
  const auto skips = circulant_skips(p);
  for (std::size_t k = skips.size() - 1; k-- > 0;) {
    const int skip = skips[k], count = skips[k + 1] - skip;
    const Ranges mine = cyclic(Buffer::output, me, count, p), theirs = cyclic(Buffer::scratch, me, count, p);
    b.next_round();
    b.recv((me - skip + p) % p, theirs);
    b.send((me + skip) % p, cyclic(Buffer::output, me + skip, count, p));
    const std::span<const BlockRange> into = mine, from = theirs;
    for (std::size_t i = 0; i < into.size(); ++i) b.reduce(into[i], from[i], OperandOrder::from_first);
  }
}

}  // namespace tutti
