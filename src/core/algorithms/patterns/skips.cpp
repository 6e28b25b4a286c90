#include "core/algorithms/patterns/skips.hpp"

#include <algorithm>

namespace tutti::inline core {
namespace {

// The least of the different skips whose sum is a number, for all numbers below `members`; 0 of 0.
std::vector<int> least_skips(int members, const Skips& skips) {
  std::vector<int> least(static_cast<std::size_t>(members));
  int greatest = 1;
  std::vector<bool> is_skip(least.size());
  for (const auto& round : skips)
    for (const int skip : round) is_skip[static_cast<std::size_t>(skip)] = true;
  for (int number = 1; number < members; ++number) {
    if (is_skip[static_cast<std::size_t>(number)]) greatest = number;
    const int left = number - greatest;
    least[static_cast<std::size_t>(number)] = left == 0 ? greatest : least[static_cast<std::size_t>(left)];
  }
  return least;
}

// One message in each direction: along `skip` travel the blocks that are then `offsets` from where
// they belong.
void exchange(ExchangeRound& round, int members, int member, int skip, const Ranges& offsets) {
  const auto placed = [&](int shift) {
    Ranges blocks;
    for (const BlockRange& range : offsets)
      blocks.add(cyclic(Buffer::output, member + shift + range.first, range.count, members));
    return blocks;
  };
  round.gets.push_back({(member + skip) % members, placed(0)});
  round.gives.push_back({(member - skip + members) % members, placed(-skip)});
}

Exchanges with_greatest_last(int members, int member, const Skips& skips) {
  Exchanges exchanges;
  for (std::size_t k = 0; k < skips.size(); ++k) {
    ExchangeRound& round = exchanges.emplace_back();
    for (std::size_t i = 0; i < skips[k].size(); ++i) {
      const int skip = skips[k][i];
      const int next = i + 1 < skips[k].size() ? skips[k][i + 1]
                       : k + 1 < skips.size()  ? skips[k + 1].front()
                                               : members;
      exchange(round, members, member, skip, output(skip, next - skip));
    }
  }
  return exchanges;
}

Exchanges with_least_last(int members, int member, const Skips& skips) {
  const std::vector<int> least = least_skips(members, skips);
  std::vector<Ranges> offsets(least.size());  // by the skip that they end with
  for (int offset = 1; offset < members; ++offset)
    offsets[static_cast<std::size_t>(least[static_cast<std::size_t>(offset)])].add(output(offset));
  Exchanges exchanges;
  for (auto round = skips.rbegin(); round != skips.rend(); ++round) {
    exchanges.emplace_back();
    for (const int skip : *round)
      exchange(exchanges.back(), members, member, skip, offsets[static_cast<std::size_t>(skip)]);
  }
  return exchanges;
}

}  // namespace

Skips bruck_skips(int members, int radix) {
  Skips skips;
  for (long weight = 1; weight < members; weight *= radix) {
    skips.emplace_back();
    for (int digit = 1; digit < radix && digit * weight < members; ++digit)
      skips.back().push_back(static_cast<int>(digit * weight));
  }
  return skips;
}

Exchanges along_skips(int members, int member, const Skips& skips, Largest largest) {
  return largest == Largest::far ? with_greatest_last(members, member, skips)
                                 : with_least_last(members, member, skips);
}

}  // namespace tutti::inline core
