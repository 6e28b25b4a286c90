// Alltoall by a Bine butterfly: every block goes from its sender to its receiver along the steps of
// the butterfly, from the farthest to the nearest, many in a message. As many rounds and as much
// volume as Bruck's, two thirds as far. Off the powers of two some ranks play two members of the
// butterfly of the next power of two.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/butterfly.hpp"

namespace tutti::inline core::families {
namespace {

// A block, and where this rank keeps it.
struct Held {
  Rank from, to;
  BlockRange where;
};

// The blocks that a member holds are sorted by sender, then by receiver.
using Blocks = std::vector<Held>;

bool comes_before(const Held& a, const Held& b) {
  return a.from != b.from ? a.from < b.from : a.to < b.to;
}

Ranges places(const Blocks& blocks) {
  Ranges all;
  for (const Held& block : blocks) all.add(block.where);
  return all;
}

class BineAlltoall {
 public:
  explicit BineAlltoall(Builder& b) : b_(b), q_(ceil_log2(b.ranks())), size_(1 << q_) {
    const Rank me = b.rank();
    b.copy(output(me), input(me));
    for (Rank to = 0; to < b.ranks(); ++to)
      if (to != me) held_[me].push_back({me, to, input(to)});
    if (const int second = me + size_ / 2; second >= b.ranks() && second < size_) held_[second] = {};
  }

  void run() {
    for (int step = q_ - 1; step >= 0; --step) {
      b_.next_round();
      exchange(step);
    }
  }

 private:
  Rank player(int member) const { return member < b_.ranks() ? member : member - size_ / 2; }
  bool is_mine(int member) const { return player(member) == b_.rank(); }
  int partner(int member, int step) const { return bine_partner(size_, member, step); }

  // Ranks that the member exchanges with in the steps from `first` down to `last`, itself among
  // them.
  std::vector<Rank> within(int member, int first, int last) const {
    std::vector<Rank> found = exchanged(size_, member, first, last, bine_partner);
    found.erase(std::ranges::lower_bound(found, b_.ranks()), found.end());
    return found;
  }

  // Takes from what the member has all that goes by way of its partner.
  Blocks taken(int member, int step) {
    std::vector<bool> is_beyond(static_cast<std::size_t>(b_.ranks()));
    for (const Rank rank : within(partner(member, step), step - 1, 0))
      is_beyond[static_cast<std::size_t>(rank)] = true;
    Blocks &mine = held_[member], stay, go;
    for (const Held& block : mine)
      (is_beyond[static_cast<std::size_t>(block.to)] ? go : stay).push_back(block);
    mine = std::move(stay);
    return go;
  }

  // Room for what the member gets from another.
  Blocks room(int member, int other, int step) {
    Blocks blocks;
    const auto receivers = within(member, step - 1, 0);
    for (const Rank from : within(other, q_ - 1, step + 1))
      for (const Rank to : receivers)
        blocks.push_back({from, to, to == member ? output(from) : scratch(waiting_++)});
    return blocks;
  }

  void add(int member, const Blocks& blocks) {
    Blocks& mine = held_[member];
    const auto before = static_cast<std::ptrdiff_t>(mine.size());
    mine.insert(mine.end(), blocks.begin(), blocks.end());
    std::inplace_merge(mine.begin(), mine.begin() + before, mine.end(), comes_before);
  }

  // Both ranks list their messages by the members that give.
  void exchange(int step) {
    std::map<int, Blocks> given, got;
    for (const auto& [member, blocks] : held_) given.emplace(member, taken(member, step));
    for (const auto& [member, blocks] : held_) {
      const int other = partner(member, step);
      got.emplace(other, is_mine(other) ? given[other] : room(member, other, step));
    }
    for (const auto& [other, blocks] : got) {
      if (!is_mine(other)) b_.recv(player(other), places(blocks));
      add(partner(other, step), blocks);
    }
    for (const auto& [member, blocks] : given)
      if (const int other = partner(member, step); !is_mine(other)) b_.send(player(other), places(blocks));
  }

  Builder& b_;
  int q_, size_;
  std::map<int, Blocks> held_;  // by the members that this rank plays
  int waiting_ = 0;
};

}  // namespace

Family alltoall_bine() {
  return {{
      .collective = Collective::alltoall,
      .name = "bine",
      .summary = "blocks travel along a Bine butterfly, many in a message",
      .wins = "short messages, networks whose middle is narrow",
      .source = bine_source,
      .relays = true,
      .blocks = block_a_rank,
      .generate = [](Builder& b, const Arguments&) { BineAlltoall(b).run(); },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        if (!is_power_of_two(p)) return std::nullopt;
        return Cost{double(ceil_log2(p)), ceil_log2(p) / 2.0, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
