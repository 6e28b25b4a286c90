// Alltoall by a Bine butterfly: every block goes from its sender to its receiver along the steps of
// the butterfly, from the farthest to the nearest, many in a message. As many rounds and as much
// volume as Bruck's, two thirds as far. Off the powers of two some ranks play two members of the
// butterfly of the next power of two.

#include <algorithm>
#include <map>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/butterfly.hpp"

namespace tutti::inline core::families {
namespace {

struct Block {
  Rank from, to;
  friend auto operator<=>(const Block&, const Block&) = default;
};

class BineAlltoall {
 public:
  explicit BineAlltoall(Builder& b) : b_(b), q_(ceil_log2(b.ranks())), size_(1 << q_) {
    for (int member = b.rank(); member < size_; member += half()) {
      if (player(member) == b.rank()) held_.emplace(member, Held{});
    }
    b.copy(output(b.rank()), input(b.rank()));
    for (Rank to = 0; to < b.ranks(); ++to)
      if (to != b.rank()) held_[b.rank()].emplace(Block{b.rank(), to}, input(to));
  }

  void run() {
    for (int step = q_ - 1; step >= 0; --step) {
      b_.next_round();
      exchange(step);
    }
  }

 private:
  using Held = std::map<Block, BlockRange>;  // where each block is

  int half() const { return std::max(1, size_ / 2); }
  Rank player(int member) const { return member < b_.ranks() ? member : member - half(); }
  int partner(int member, int step) const { return bine_partner(size_, member, step); }

  // Ranks whose blocks the member has, or may get yet, by the steps from `first` down to `last`.
  std::vector<Rank> within(int member, int first, int last) const {
    std::vector<Rank> found = exchanged(size_, member, first, last, bine_partner);
    found.erase(std::ranges::lower_bound(found, b_.ranks()), found.end());
    return found;
  }

  // Takes from what the member has all that its partner is nearer to.
  Held taken(int member, int step) {
    Held& mine = held_[member];
    const auto theirs = within(partner(member, step), step - 1, 0);
    Held given;
    for (auto block = mine.begin(); block != mine.end();) {
      const auto next = std::next(block);
      if (std::ranges::binary_search(theirs, block->first.to)) given.insert(mine.extract(block));
      block = next;
    }
    return given;
  }

  void exchange(int step) {
    std::map<int, Held> given;  // by the member that gives
    for (const auto& [member, held] : held_) given.emplace(member, taken(member, step));
    std::map<int, Held> got;
    for (const auto& [member, held] : held_) {
      const int other = partner(member, step);
      if (player(other) == b_.rank()) {
        got.emplace(other, given[other]);
        continue;
      }
      Held& blocks = got[other];
      for (const Rank from : within(other, q_ - 1, step + 1))
        for (const Rank to : within(member, step - 1, 0))
          blocks.emplace(Block{from, to}, to == member ? output(from) : scratch(waiting_++));
    }
    for (const auto& [other, blocks] : got) {
      if (player(other) != b_.rank()) b_.recv(player(other), ranges(blocks));
      held_[partner(other, step)].insert(blocks.begin(), blocks.end());
    }
    for (const auto& [member, blocks] : given)
      if (const Rank to = player(partner(member, step)); to != b_.rank()) b_.send(to, ranges(blocks));
  }

  static Ranges ranges(const Held& blocks) {
    Ranges all;
    for (const auto& [block, where] : blocks) all.add(where);
    return all;
  }

  Builder& b_;
  int q_, size_;
  std::map<int, Held> held_;  // by the members that this rank plays
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
