#include "choose/probing/links_of_pairs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace tutti::inline choose {
namespace {

// How many pairs were measured of each class.
using Counts = std::map<int, int>;

// Where hosts lie in a tree of pools.
class Places {
 public:
  Places(const Pool& root, int hosts) : around_(static_cast<std::size_t>(hosts)) { number(root); }

  struct Relation {
    // The outermost pools that have one host each, or twice the innermost that has both.
    std::pair<int, int> pools;
    // How many pools have both hosts, and whether further ones have one of them each.
    std::pair<std::size_t, bool> depth;
  };
  Relation of(int a, int b) const {
    const auto &of_a = around_[static_cast<std::size_t>(a)], &of_b = around_[static_cast<std::size_t>(b)];
    const auto [at_a, at_b] = std::ranges::mismatch(of_a, of_b);
    const auto common = static_cast<std::size_t>(at_a - of_a.begin());
    if (at_a == of_a.end() || at_b == of_b.end())
      return {{of_a[common - 1], of_a[common - 1]}, {common, false}};
    return {std::minmax(*at_a, *at_b), {common, true}};
  }

 private:
  void number(const Pool& pool) {
    const int own = count_++;
    for (const int host : pool.ranks) around_[static_cast<std::size_t>(host)].push_back(own);
    for (const Pool& inner : pool.pools) number(inner);
  }

  std::vector<std::vector<int>> around_;  // by host, the numbers of its pools, the outermost first
  int count_ = 0;
};

class LinksOfPairs {
 public:
  LinksOfPairs(int ranks, const Hosts& hosts, const std::vector<MeasuredPair>& measured,
               const Latencies& latencies, double alike)
      : ranks_(ranks),
        hosts_(hosts),
        latencies_(latencies),
        alike_(alike),
        pools_(latency_pools(latencies)),
        places_(pools_, latencies.hosts()),
        links_(index(ranks) * index(ranks), -1),
        partners_(index(ranks)) {
    std::map<int, std::vector<double>> latencies_of;
    for (const MeasuredPair& pair : measured) {
      take(pair);
      latencies_of[pair.link].push_back(pair.latency);
    }
    for (auto& [link, all] : latencies_of) {
      const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      std::ranges::nth_element(all, middle);
      latency_of_[link] = *middle;
    }
  }

  std::vector<int> run() const {
    std::vector<int> all = links_;
    for (Rank a = 0; a < ranks_; ++a)
      for (Rank b = a + 1; b < ranks_; ++b)
        if (links_[place(a, b)] < 0) all[place(a, b)] = all[place(b, a)] = link_of(a, b);
    for (Rank rank = 0; rank < ranks_; ++rank) all[place(rank, rank)] = link_of(rank, rank);
    return all;
  }

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  std::size_t place(Rank a, Rank b) const { return index(a) * index(ranks_) + index(b); }
  int host(Rank rank) const { return hosts_[index(rank)]; }

  void take(const MeasuredPair& pair) {
    links_[place(pair.a, pair.b)] = links_[place(pair.b, pair.a)] = pair.link;
    const int at_a = host(pair.a), at_b = host(pair.b);
    ++of_hosts_[std::minmax(at_a, at_b)][pair.link];
    ++of_place_[at_a == at_b][pair.link];
    if (at_a != at_b) {
      const Places::Relation relation = places_.of(at_a, at_b);
      ++of_pools_[relation.pools][pair.link];
      ++of_depth_[relation.depth][pair.link];
    }
    const std::pair near(pair.seconds_per_byte, pair.latency);
    partners_[index(pair.a)].emplace(near, pair.b);
    partners_[index(pair.b)].emplace(near, pair.a);
  }

  int link_of(Rank a, Rank b) const {
    const int at_a = host(a), at_b = host(b);
    const auto known = of_hosts_.find(std::minmax(at_a, at_b));
    if (known != of_hosts_.end()) return most_frequent(known->second);
    if (at_a != at_b) {
      const auto link = pools_.pools.empty() ? by_way_of_neighbour(a, b) : by_pools(at_a, at_b);
      if (link) return *link;
    }
    const auto like = of_place_.find(at_a == at_b);
    return like == of_place_.end() ? 0 : most_frequent(like->second);
  }

  std::optional<int> by_pools(int a, int b) const {
    const Places::Relation relation = places_.of(a, b);
    const auto pools = of_pools_.find(relation.pools);
    const auto depth = of_depth_.find(relation.depth);
    const auto apart = of_place_.find(false);
    const Counts* const found[] = {pools == of_pools_.end() ? nullptr : &pools->second,
                                   depth == of_depth_.end() ? nullptr : &depth->second,
                                   apart == of_place_.end() ? nullptr : &apart->second};
    for (const Counts* counts : found)
      if (counts)
        if (const auto link = most_frequent_like(latencies_(a, b), *counts)) return link;
    for (const Counts* counts : found)
      if (counts) return most_frequent(*counts);
    return std::nullopt;
  }

  // The class of links that `a` has with the nearest partner of `b` with which it was measured.
  std::optional<int> by_way_of_neighbour(Rank a, Rank b) const {
    for (const auto& [distance, neighbour] : partners_[index(b)])
      if (const int link = links_[place(a, neighbour)]; link >= 0 && host(neighbour) != host(a)) return link;
    return std::nullopt;
  }

  static int most_frequent(const Counts& counts) {
    return std::ranges::max_element(counts, {}, &Counts::value_type::second)->first;
  }

  // The most frequent class whose short messages take about as long; where that is not known, the
  // most frequent one of all.
  std::optional<int> most_frequent_like(double latency, const Counts& counts) const {
    std::optional<int> found;
    int most = 0;
    for (const auto& [link, count] : counts) {
      const double typical = latency_of_.at(link);
      const bool is_like = latency == 0 || are_alike(latency, typical, alike_);
      if (!is_like || count <= most) continue;
      found = link;
      most = count;
    }
    return found;
  }

  int ranks_;
  const Hosts& hosts_;
  const Latencies& latencies_;
  double alike_;
  Pool pools_;
  Places places_;
  std::vector<int> links_;  // as far as they were measured, else -1
  std::map<std::pair<int, int>, Counts> of_hosts_, of_pools_;
  std::map<std::pair<std::size_t, bool>, Counts> of_depth_;
  std::map<bool, Counts> of_place_;                                       // on one host, or not
  std::map<int, double> latency_of_;                                      // by class, the median
  std::vector<std::multimap<std::pair<double, double>, Rank>> partners_;  // the nearest first
};

}  // namespace

std::vector<int> links_of_pairs(int ranks, const Hosts& hosts, const std::vector<MeasuredPair>& measured,
                                const Latencies& latencies, double alike) {
  return LinksOfPairs(ranks, hosts, measured, latencies, alike).run();
}

}  // namespace tutti::inline choose
