#include "core/network/latency_pools.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tutti::inline core {
namespace {

// A step between levels: a switch more on the way adds about as much. It was chosen by hand.
constexpr double clear_step = 1.15;
// Share of the hosts that a level may leave by themselves. It was chosen by hand.
constexpr double most_alone = 0.25;
// Share of the hosts that a level may leave in the sets of the level within: one at which but a few
// sets join is how far apart these happen to be. It was chosen by hand.
constexpr double most_as_within = 0.5;
// A step that makes a level whatever joins there. It was chosen by hand.
constexpr double wide_step = 2;
constexpr double unknown = std::numeric_limits<double>::infinity();

struct Joining {
  int kept, gone;  // sets, by one host of each
  double latency;
};

// The latency of two hosts, as far as it was measured, and what those to third ones differ by.
Latencies with_what_differs(const Latencies& latencies) {
  Latencies together = mean_differences(latencies);
  for (int a = 0; a < latencies.hosts(); ++a)
    for (int b = a + 1; b < latencies.hosts(); ++b)
      together.set(a, b, latencies(a, b) == 0 ? 0 : latencies(a, b) + together(a, b));
  return together;
}

class AverageLinkage {
 public:
  explicit AverageLinkage(const Latencies& latencies)
      : hosts_(latencies.hosts()),
        sum_(latencies),
        pairs_(latencies),
        left_(static_cast<std::size_t>(hosts_)),
        nearest_(left_.size()) {
    for (int a = 0; a < hosts_; ++a)
      for (int b = a + 1; b < hosts_; ++b) pairs_.set(a, b, latencies(a, b) > 0 ? 1 : 0);
    std::iota(left_.begin(), left_.end(), 0);
    for (const int set : left_) find_nearest(set);
  }

  // Until one set is left, or nobody knows how far the others are.
  std::vector<Joining> join() {
    std::vector<Joining> joinings;
    while (left_.size() > 1) {
      const int a = *std::ranges::min_element(left_, {}, [this](int set) { return to_nearest(set); });
      const int b = nearest_[index(a)];
      if (distance(a, b) == unknown) break;
      joinings.push_back({std::min(a, b), std::max(a, b), distance(a, b)});
      unite(joinings.back());
    }
    return joinings;
  }

 private:
  static std::size_t index(int set) { return static_cast<std::size_t>(set); }
  double distance(int a, int b) const { return pairs_(a, b) > 0 ? sum_(a, b) / pairs_(a, b) : unknown; }
  double to_nearest(int set) const { return distance(set, nearest_[index(set)]); }

  void find_nearest(int set) {
    double least = unknown;
    nearest_[index(set)] = set == left_.front() ? left_.back() : left_.front();
    for (const int other : left_)
      if (other != set && distance(set, other) < least) {
        least = distance(set, other);
        nearest_[index(set)] = other;
      }
  }

  void unite(const Joining& joining) {
    const auto [kept, gone, latency] = joining;
    left_.erase(std::ranges::find(left_, gone));
    if (left_.size() < 2) return;
    for (const int other : left_) {
      if (other == kept) continue;
      const double before = to_nearest(other);
      sum_.set(kept, other, sum_(kept, other) + sum_(gone, other));
      pairs_.set(kept, other, pairs_(kept, other) + pairs_(gone, other));
      // One that has come nearer, or was as near, is the nearest.
      const int nearest = nearest_[index(other)];
      if (distance(other, kept) < before || (nearest == gone && distance(other, kept) == before))
        nearest_[index(other)] = kept;
      else if ((nearest == kept && distance(other, kept) > before) || nearest == gone)
        find_nearest(other);
    }
    find_nearest(kept);
  }

  int hosts_;
  Latencies sum_, pairs_;  // between two sets: of what was measured, and how many pairs that was
  std::vector<int> left_;
  std::vector<int> nearest_;
};

// The sets that the first joinings make, each ascending.
std::vector<std::vector<Rank>> sets_after(int hosts, const std::vector<Joining>& joinings,
                                          std::size_t count) {
  std::vector<std::vector<Rank>> sets(static_cast<std::size_t>(hosts));
  for (int host = 0; host < hosts; ++host) sets[static_cast<std::size_t>(host)] = {host};
  for (std::size_t i = 0; i < count; ++i) {
    auto& kept = sets[static_cast<std::size_t>(joinings[i].kept)];
    auto& gone = sets[static_cast<std::size_t>(joinings[i].gone)];
    kept.insert(kept.end(), gone.begin(), gone.end());
    gone.clear();
  }
  std::erase_if(sets, [](const auto& set) { return set.empty(); });
  for (auto& set : sets) std::ranges::sort(set);
  return sets;
}

// How many hosts are in sets that are pools by then.
std::size_t hosts_as_within(const std::vector<Pool>& pools, const std::vector<std::vector<Rank>>& sets) {
  std::size_t hosts = 0;
  for (const Pool& pool : pools)
    if (std::ranges::find(sets, pool.ranks) != sets.end()) hosts += pool.ranks.size();
  return hosts;
}

// The next level: what is a pool by then becomes a part of the set that it lies in.
std::vector<Pool> around(std::vector<Pool> pools, std::vector<std::vector<Rank>> sets, double latency) {
  std::vector<Pool> level;
  for (auto& set : sets) level.push_back({latency, std::move(set), {}});
  for (Pool& inner : pools) {
    const auto outer = std::ranges::find_if(
        level, [&](const Pool& pool) { return std::ranges::binary_search(pool.ranks, inner.ranks.front()); });
    if (outer->ranks == inner.ranks)
      *outer = std::move(inner);
    else
      outer->pools.push_back(std::move(inner));
  }
  return level;
}

}  // namespace

Latencies mean_differences(const Latencies& latencies) {
  const int hosts = latencies.hosts();
  Latencies differences(hosts), thirds(hosts);
  for (int third = 0; third < hosts; ++third) {
    const std::vector<int> met = latencies.met_by(third);
    for (const int a : met)
      for (const int b : met) {
        if (a >= b) continue;
        differences.set(a, b, differences(a, b) + std::abs(latencies(a, third) - latencies(b, third)));
        thirds.set(a, b, thirds(a, b) + 1);
      }
  }
  for (int a = 0; a < hosts; ++a)
    for (int b = a + 1; b < hosts; ++b)
      differences.set(a, b, differences(a, b) / std::max(thirds(a, b), 1.0));
  return differences;
}

Pool latency_pools(const Latencies& latencies) {
  std::vector<Joining> joinings = AverageLinkage(with_what_differs(latencies)).join();
  const auto hosts = static_cast<std::size_t>(latencies.hosts());
  Pool root{joinings.empty() ? 0 : joinings.back().latency, std::vector<Rank>(hosts), {}};
  std::iota(root.ranks.begin(), root.ranks.end(), 0);
  if (joinings.size() + 1 < hosts) return root;
  std::vector<Pool> pools;  // of the level before
  double highest = 0;
  for (std::size_t i = 0; i + 1 < joinings.size(); ++i) {
    highest = std::max(highest, joinings[i].latency);
    if (joinings[i + 1].latency < clear_step * highest) continue;
    auto sets = sets_after(latencies.hosts(), joinings, i + 1);
    const auto alone = std::ranges::count_if(sets, [](const auto& set) { return set.size() == 1; });
    if (static_cast<double>(alone) > most_alone * static_cast<double>(hosts)) continue;
    const bool is_wide = joinings[i + 1].latency >= wide_step * highest;
    const auto as_within = static_cast<double>(hosts_as_within(pools, sets));
    if (!is_wide && as_within > most_as_within * static_cast<double>(hosts)) continue;
    pools = around(std::move(pools), std::move(sets), highest);
  }
  root.pools = std::move(pools);
  return root;
}

}  // namespace tutti::inline core
