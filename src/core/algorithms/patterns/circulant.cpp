#include "core/algorithms/patterns/circulant.hpp"

#include <algorithm>
#include <cmath>

#include "core/algorithms/patterns/skips.hpp"

namespace tutti::inline core {
namespace {

// Finds the blocks that a member receives in the q rounds of a cycle: paths in the graph from the
// root to the member, as sums of skips, by depth-first search over the skips not used yet.
class ReceiveSchedule {
 public:
  ReceiveSchedule(int member, const std::vector<int>& skips)
      : skips_(skips),
        q_(static_cast<int>(skips.size()) - 1),
        goal_(skips.back() + member),
        bound_(2 * skips.back()) {
    live_.assign(static_cast<std::size_t>(q_) + 1, true);
    const int base = base_block(member);
    live_[static_cast<std::size_t>(base)] = false;
    search(0, q_);
    for (int& entry : found_) entry = entry == q_ ? base : entry - q_;
  }

  /// By round of the first cycle: a block, or negative where nothing is to be received.
  const std::vector<int>& entries() const { return found_; }

 private:
  int skip(int k) const { return skips_[static_cast<std::size_t>(k)]; }
  int found() const { return static_cast<int>(found_.size()); }

  // The one block that the member gets in the first cycle: where its canonical sum of skips ends.
  // The root's is q.
  int base_block(int member) const {
    if (member == 0) return q_;
    int k = q_ - 1;
    for (;; --k) {
      if (skip(k) == member) return k;
      if (skip(k) < member) member -= skip(k);
    }
  }

  bool fits(int path, int e) const {
    return path + skip(e) <= goal_ - skip(found()) && path + skip(e) < bound_;
  }

  void search(int path, int e) {
    for (; e >= 0 && found() < q_; --e) {
      if (!live_[static_cast<std::size_t>(e)] || !fits(path, e)) continue;
      search(path + skip(e), e);
      if (found() == q_ || path > goal_ - skip(found() + 1)) return;
      if (!live_[static_cast<std::size_t>(e)] || !fits(path, e)) continue;
      bound_ = path + skip(e);
      found_.push_back(e);
      live_[static_cast<std::size_t>(e)] = false;
    }
  }

  const std::vector<int>& skips_;
  int q_, goal_, bound_;
  std::vector<bool> live_;
  std::vector<int> found_;
};

// What a member receives and sends in each round of a cycle: a block, or negative for nothing.
struct Cycle {
  std::vector<int> received, sent;
};

std::vector<CirculantRound> rounds_of(int member, const Cycle& cycle, const std::vector<int>& skips,
                                      int blocks) {
  const int ranks = skips.back(), q = static_cast<int>(skips.size()) - 1;
  const auto away = [&](int distance) { return (member + distance + ranks) % ranks; };
  // The last round ends a cycle: the first cycle begins late where the rounds do not divide.
  std::vector<CirculantRound> rounds;
  if (q == 0) return rounds;
  const int first = (q - (blocks - 1 + q) % q) % q;
  for (int round = first; round < first + blocks - 1 + q; ++round) {
    const auto k = static_cast<std::size_t>(round % q);
    const int raise = round / q * q - first;
    const int incoming = std::min(cycle.received[k] + raise, blocks - 1);
    const int outgoing = std::min(cycle.sent[k] + raise, blocks - 1);
    const int to = away(skips[k]);
    rounds.push_back({.from = member == 0 || incoming < 0 ? -1 : away(-skips[k]),
                      .incoming = incoming,
                      .to = to == 0 || outgoing < 0 ? -1 : to,
                      .outgoing = outgoing});
  }
  return rounds;
}

// `received` tells what a member receives in a cycle. What I send in round k is what the rank
// skips[k] further receives in it.
template <typename Received>
Cycle cycle_of(int member, const std::vector<int>& skips, Received received) {
  Cycle cycle{received(member), {}};
  for (std::size_t k = 0; k + 1 < skips.size(); ++k)
    cycle.sent.push_back(received((member + skips[k]) % skips.back())[k]);
  return cycle;
}

}  // namespace

std::vector<int> circulant_skips(int ranks) {
  std::vector<int> skips{ranks};
  while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
  std::reverse(skips.begin(), skips.end());
  return skips;
}

Exchanges circulant_exchanges(int members, int member, Largest largest) {
  std::vector<int> skips = circulant_skips(members);
  skips.pop_back();
  Skips rounds;
  for (const int skip : skips) rounds.push_back({skip});
  return along_skips(members, member, rounds, largest);
}

std::vector<CirculantRound> circulant_rounds(int ranks, int member, int blocks) {
  const auto skips = circulant_skips(ranks);
  const auto received = [&](int other) { return ReceiveSchedule(other, skips).entries(); };
  return rounds_of(member, cycle_of(member, skips, received), skips, blocks);
}

std::vector<std::vector<CirculantRound>> circulant_rounds(int ranks, int blocks) {
  const auto skips = circulant_skips(ranks);
  std::vector<std::vector<int>> received;
  for (int member = 0; member < ranks; ++member) received.push_back(ReceiveSchedule(member, skips).entries());
  const auto known = [&](int member) { return received[static_cast<std::size_t>(member)]; };
  std::vector<std::vector<CirculantRound>> rounds;
  for (int member = 0; member < ranks; ++member)
    rounds.push_back(rounds_of(member, cycle_of(member, skips, known), skips, blocks));
  return rounds;
}

int circulant_blocks(int ranks, std::size_t bytes, int n_half) {
  const double rounds = std::max(0, ceil_log2(ranks) - 1);
  const double best = std::sqrt(rounds * static_cast<double>(bytes) / n_half);
  return static_cast<int>(std::clamp(std::lround(best), 1L, 1L << 14));
}

}  // namespace tutti::inline core
