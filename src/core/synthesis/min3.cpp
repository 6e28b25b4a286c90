#include "core/synthesis/min3.hpp"

#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>

#include "core/synthesis/port_clock.hpp"

namespace tutti::inline core {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

// The numbers 0 … n − 1 without those that were removed.
class Left {
 public:
  explicit Left(int n) : next_(static_cast<std::size_t>(n) + 1) { std::iota(next_.begin(), next_.end(), 0); }
  /// The first one from `at` on; n if there is none.
  int from(int at) {
    while (next_[index(at)] != at) at = next_[index(at)] = next_[index(next_[index(at)])];
    return at;
  }
  void remove(int at) { next_[index(at)] = at + 1; }
  bool has(int at) { return from(at) == at; }

 private:
  static std::size_t index(int at) { return static_cast<std::size_t>(at); }
  std::vector<int> next_;  // an earlier one knows where to go on
};

// What a rank could receive next.
struct Choice {
  double arrival = unreached;
  int distance = 0;  // of the block, from the receiver's own on
  Rank to = 0, from = -1;
  int block = 0;
  friend bool operator<(const Choice& a, const Choice& b) {
    return std::tie(a.arrival, a.distance, a.to) < std::tie(b.arrival, b.distance, b.to);
  }
};

class Scheduler {
 public:
  Scheduler(const Network& network, int ranks, double bytes, bool half_duplex)
      : ranks_(ranks),
        clock_(network, ranks, bytes, half_duplex),
        has_from_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks), unreached),
        sources_(static_cast<std::size_t>(ranks)),
        shortest_(sources_.size()),
        best_(sources_.size()),
        version_(sources_.size()),
        pool_of_(sources_.size()) {
    for (Rank rank = 0; rank < ranks; ++rank) has_from(rank, rank) = 0;
    transfers_.reserve(has_from_.size() - sources_.size());
  }

  ScheduledTransfers run(const Pool& root) && {
    schedule(root);
    return std::move(transfers_);
  }

 private:
  double& has_from(int block, Rank rank) {
    return has_from_[static_cast<std::size_t>(block) * static_cast<std::size_t>(ranks_) +
                     static_cast<std::size_t>(rank)];
  }
  int distance(int block, Rank to) const { return block >= to ? block - to : block - to + ranks_; }
  Choice& best(Rank to) { return best_[static_cast<std::size_t>(to)]; }
  Left& missing(Rank to) {
    return missing_[static_cast<std::size_t>(pool_of_[static_cast<std::size_t>(to)])];
  }

  // Brings every block into every pool of this one, then goes on in each of them.
  void schedule(const Pool& pool) {
    std::vector<Pool> single;
    if (pool.pools.empty())
      for (const Rank rank : pool.ranks) single.push_back({0, {rank}, {}});
    const std::vector<Pool>& pools = pool.pools.empty() ? single : pool.pools;
    begin(pool, pools);
    while (const auto next = take()) carry_out(*next, pool);
    for (const Pool& inner : pool.pools)
      if (inner.ranks.size() > 1) schedule(inner);
  }

  void begin(const Pool& pool, const std::vector<Pool>& pools) {
    missing_.assign(pools.size(), Left(ranks_));
    for (std::size_t i = 0; i < pools.size(); ++i)
      for (const Rank rank : pools[i].ranks) pool_of_[static_cast<std::size_t>(rank)] = static_cast<int>(i);
    for (int block = 0; block < ranks_; ++block) {
      auto& sources = sources_[static_cast<std::size_t>(block)];
      sources.clear();
      for (const Rank rank : pool.ranks)
        if (has_from(block, rank) < unreached) {
          sources.push_back(rank);
          missing(rank).remove(block);
        }
    }
    for (const Rank rank : pool.ranks) {
      shortest_[static_cast<std::size_t>(rank)] = shortest_to(rank, pool.ranks);
      update(rank);
    }
  }

  // What is best for a receiver; times only grow, so a choice that still holds is best, unless a
  // new source has come, which `carry_out` sees to.
  void update(Rank to) {
    Choice choice;
    Left& left = missing(to);
    const double floor = clock_.receive_free(to) + shortest_[static_cast<std::size_t>(to)];
    const auto look = [&](int begin, int end) {
      for (int block = left.from(begin); block < end; block = left.from(block + 1)) {
        consider(choice, block, to);
        if (choice.arrival <= floor) return true;
      }
      return false;
    };
    if (!look(to, ranks_)) look(0, to);
    put(choice, to);
  }

  void consider(Choice& choice, int block, Rank to) {
    const int distance = this->distance(block, to);
    for (const Rank from : sources_[static_cast<std::size_t>(block)]) {
      const double arrival = clock_.arrival(from, to, has_from(block, from));
      if (arrival < choice.arrival || (arrival == choice.arrival && distance < choice.distance))
        choice = {arrival, distance, to, from, block};
    }
  }

  double shortest_to(Rank to, const std::vector<Rank>& members) const {
    double shortest = unreached;
    for (const Rank from : members)
      if (from != to) shortest = std::min(shortest, clock_.transfer_time(from, to));
    return shortest;
  }

  void put(const Choice& choice, Rank to) {
    best(to) = choice;
    const int version = ++version_[static_cast<std::size_t>(to)];
    if (choice.from >= 0) queue_.push({choice, version});
  }

  // The transfer that would be complete first; nothing when all is done.
  std::optional<Choice> take() {
    while (!queue_.empty()) {
      const auto [choice, version] = queue_.top();
      queue_.pop();
      if (version != version_[static_cast<std::size_t>(choice.to)]) continue;
      const bool holds =
          missing(choice.to).has(choice.block) &&
          clock_.arrival(choice.from, choice.to, has_from(choice.block, choice.from)) == choice.arrival;
      if (holds) return choice;
      update(choice.to);
    }
    return std::nullopt;
  }

  void carry_out(const Choice& choice, const Pool& pool) {
    const auto& [arrival, distance, to, from, block] = choice;
    const double start = clock_.start(from, to, has_from(block, from));
    clock_.send(from, to, start);
    transfers_.push_back({.from = from, .to = to, .block = block, .start = start, .end = arrival});
    has_from(block, to) = arrival;
    sources_[static_cast<std::size_t>(block)].push_back(to);
    missing(to).remove(block);
    update(to);
    // The new source may serve others better than what they have in mind.
    for (const Rank other : pool.ranks) {
      if (!missing(other).has(block)) continue;
      const Choice mine{clock_.arrival(to, other, arrival), this->distance(block, other), other, to, block};
      if (mine < best(other)) put(mine, other);
    }
  }

  struct Entry {
    Choice choice;
    int version;
    friend bool operator<(const Entry& a, const Entry& b) { return b.choice < a.choice; }  // least on top
  };

  int ranks_;
  PortClock clock_;
  std::vector<double> has_from_;            // by block and rank: seconds
  std::vector<std::vector<Rank>> sources_;  // by block: in the pool, in the order in which they got it
  std::vector<double> shortest_;            // by receiver: of the transfers to it in the pool under way
  std::vector<Choice> best_;                // by receiver
  std::vector<int> version_;                // by receiver: of the best choice
  std::vector<int> pool_of_;                // by rank
  std::vector<Left> missing_;               // by its pools: blocks
  std::priority_queue<Entry> queue_;
  ScheduledTransfers transfers_;
};

}  // namespace

ScheduledTransfers min3_allgather(const Network& network, const Pool& pools, double bytes, bool half_duplex) {
  return Scheduler(network, static_cast<int>(pools.ranks.size()), bytes, half_duplex).run(pools);
}

}  // namespace tutti::inline core
