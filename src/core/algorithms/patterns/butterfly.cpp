#include "core/algorithms/patterns/butterfly.hpp"

#include <algorithm>

namespace tutti::inline core {
namespace {

// Numbers in ascending order.
using Members = std::vector<int>;

// The first of them, that are below `members`.
Members present(Members set, int members) {
  set.erase(std::ranges::lower_bound(set, members), set.end());
  return set;
}

// For each of those without a partner one of the set that it would have belonged to: one that is
// near, and as few as possible twice.
Members stand_ins(const Members& without, const Members& set) {
  Members chosen;
  for (std::size_t i = 0, free = 0; i < without.size(); ++i) {
    if (without.size() > set.size()) {
      chosen.push_back(set[i * set.size() / without.size()]);
      continue;
    }
    const auto near = static_cast<std::size_t>(std::ranges::lower_bound(set, without[i]) - set.begin());
    const std::size_t at = std::clamp(near, free, set.size() - (without.size() - i));
    chosen.push_back(set[at]);
    free = at + 1;
  }
  return chosen;
}

Ranges blocks_of(const Members& members) {
  Ranges blocks;
  for (const int member : members) blocks.add(output(member));
  return blocks;
}

}  // namespace

int digit_partner(int, int member, int step) {
  return member ^ (1 << step);
}

int bine_partner(int members, int member, int step) {
  const int power = 1 << (step + 1);  // of −2, but for the sign
  const int distance = (1 - (step % 2 == 0 ? -power : power)) / 3;
  const int partner = member % 2 == 0 ? member + distance : member - distance;
  return (partner + members) % members;
}

Members exchanged(int members, int member, int first, int last, Butterfly partner) {
  Members set{member};
  for (int step = first; step >= last; --step)
    for (std::size_t i = 0, number = set.size(); i < number; ++i)
      set.push_back(partner(members, set[i], step));
  std::ranges::sort(set);
  return set;
}

Exchanges by_butterfly(int members, int member, Butterfly partner) {
  const int q = ceil_log2(members), size = 1 << q;
  Exchanges exchanges;
  for (int step = q - 1; step >= 0; --step) {
    const auto other = [&](int one) { return partner(size, one, step); };
    const auto lacks_partner = [&](int one) { return other(one) >= members; };
    ExchangeRound& round = exchanges.emplace_back();
    const Members mine = present(exchanged(size, member, q - 1, step + 1, partner), members);
    const Members theirs = present(exchanged(size, other(member), q - 1, step + 1, partner), members);
    if (theirs.empty()) continue;
    // Members of a set may lack a partner: others of the other set stand in.
    const auto without_in = [&](const Members& set) {
      Members without;
      std::ranges::copy_if(set, std::back_inserter(without), lacks_partner);
      return without;
    };
    const Members my_kind = without_in(mine), their_kind = without_in(theirs);
    if (lacks_partner(member)) {
      const auto i = std::ranges::lower_bound(my_kind, member) - my_kind.begin();
      round.gets.push_back({stand_ins(my_kind, theirs)[static_cast<std::size_t>(i)], blocks_of(theirs)});
    } else {
      round.gets.push_back({other(member), blocks_of(theirs)});
      round.gives.push_back({other(member), blocks_of(mine)});
    }
    const Members helpers = stand_ins(their_kind, mine);
    for (std::size_t i = 0; i < helpers.size(); ++i)
      if (helpers[i] == member) round.gives.push_back({their_kind[i], blocks_of(mine)});
  }
  return exchanges;
}

}  // namespace tutti::inline core
