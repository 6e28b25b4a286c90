// Broadcast of m blocks on a circulant graph: m − 1 + ⌈log2 p⌉ rounds for any p, the least possible. In round
// i rank r (counted from the root) receives from r − s_k and sends to r + s_k, k = i mod q; which block, says
// a schedule of q entries that every rank computes for itself in O(q) or little more.

#include <algorithm>
#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/patterns/circulant.hpp"

namespace tutti::families {
namespace {

// Finds the blocks that a member receives in the q rounds of a cycle: paths in the graph from the root to the
// member, as sums of skips, by depth-first search over the skips not used yet.
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

  // The one block that the member gets in the first cycle: where its canonical sum of skips ends. The root's
  // is q.
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

}  // namespace

Family bcast_circulant() {
  return {{
      .collective = Collective::bcast,
      .name = "circulant",
      .summary = "blocks spread by skips that halve p, a new one every round",
      .wins = "all but the shortest messages, any number of ranks",
      .source = "Träff, Optimal Broadcast Schedules in Logarithmic Time, 2024",
      .parameters = {{"n_half",
                      "bytes whose transfer takes as long as a message's latency (alpha / beta); the vector "
                      "of n bytes is "
                      "cut into sqrt((q - 1) n / n_half) blocks",
                      {"1024", "16384"},
                      true}},
      .blocks =
          [](int ranks, const Arguments& arguments, std::size_t bytes) {
            const double rounds = std::max(0, ceil_log2(ranks) - 1);
            const double best = std::sqrt(rounds * static_cast<double>(bytes) / arguments.number("n_half"));
            return std::max(1, static_cast<int>(std::lround(best)));
          },
      .generate =
          [](Builder& b, const Arguments&) {
            const Team team{b.ranks(), b.shape().root};
            if (team.size == 1) return;
            const auto skips = circulant_skips(team.size);
            const int q = static_cast<int>(skips.size()) - 1, m = b.shape().blocks;
            const int me = team.member(b.rank());
            const auto member = [&](int m_) { return (m_ + team.size) % team.size; };
            // What I send in round k is what the rank skips[k] further receives in it.
            const std::vector<int> received = ReceiveSchedule(me, skips).entries();
            std::vector<int> sent;
            for (int k = 0; k < q; ++k) {
              const ReceiveSchedule theirs(member(me + skips[static_cast<std::size_t>(k)]), skips);
              sent.push_back(theirs.entries()[static_cast<std::size_t>(k)]);
            }
            // The last round ends a cycle: the first cycle begins late where the rounds do not divide.
            const int first = (q - (m - 1 + q) % q) % q;
            for (int round = first; round < first + m - 1 + q; ++round) {
              const auto k = static_cast<std::size_t>(round % q);
              const int raise = round / q * q - first;
              const int incoming = std::min(received[k] + raise, m - 1),
                        outgoing = std::min(sent[k] + raise, m - 1);
              const int from = member(me - skips[k]), to = member(me + skips[k]);
              b.next_round();
              if (me != 0 && incoming >= 0) b.recv(team.rank(from), output(incoming));
              if (to != 0 && outgoing >= 0) b.send(team.rank(to), output(outgoing));
            }
          },
      .cost = {},
  }};
}

}  // namespace tutti::families
