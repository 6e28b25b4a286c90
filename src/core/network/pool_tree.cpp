#include "core/network/pool_tree.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace tutti::inline core {
namespace {

constexpr double next_class = 1.1;
// A rank belongs to a group if its average bandwidth to it is at least the threshold divided by
// this: two sets may meet in the middle of what scatters.
constexpr double slack = 1.2;
// Groups are clearly apart where the bandwidth between them is smaller than in them by this factor.
constexpr double clearly = 2;

class Splitter {
 public:
  Splitter(const Bandwidths& bandwidths, const std::vector<double>& thresholds)
      : bandwidth_(bandwidths), thresholds_(thresholds) {}

  Pool split(std::vector<Rank> ranks, std::size_t threshold) const {
    Pool pool{thresholds_.empty() ? 0 : thresholds_[threshold], std::move(ranks), {}};
    for (std::size_t next = threshold + 1; next < thresholds_.size(); ++next) {
      auto groups = this->groups(pool.ranks, thresholds_[next] / slack);
      if (groups.size() == 1) pool.threshold = thresholds_[next];
      if (groups.size() == 1 || !are_apart(groups, thresholds_[next])) continue;
      for (auto& group : groups) pool.pools.push_back(split(std::move(group), next));
      break;
    }
    return pool;
  }

 private:
  // Grows one group after the other, from the first rank left, by the rank that is nearest to it.
  std::vector<std::vector<Rank>> groups(const std::vector<Rank>& ranks, double least) const {
    std::vector<std::vector<Rank>> groups;
    std::vector<Rank> left = ranks;
    while (!left.empty()) {
      std::vector<Rank> group{left.front()};
      left.erase(left.begin());
      std::vector<double> to_group(left.size());
      std::vector<double> inside{0};  // by member: to all others of the group together
      for (bool grows = true; grows && !left.empty();) {
        for (std::size_t i = 0; i < left.size(); ++i) to_group[i] += bandwidth_(left[i], group.back());
        const auto nearest = std::max_element(to_group.begin(), to_group.end());
        const auto at = nearest - to_group.begin();
        grows = fits(left[static_cast<std::size_t>(at)], *nearest, group, inside, least);
        if (!grows) break;
        add(left[static_cast<std::size_t>(at)], *nearest, group, inside);
        left.erase(left.begin() + at);
        to_group.erase(nearest);
      }
      std::sort(group.begin(), group.end());
      groups.push_back(std::move(group));
    }
    return groups;
  }

  bool fits(Rank rank, double to_group, const std::vector<Rank>& group, const std::vector<double>& inside,
            double least) const {
    const auto others = static_cast<double>(group.size());
    if (to_group < least * others) return false;
    for (std::size_t i = 0; i < group.size(); ++i)
      if (inside[i] + bandwidth_(group[i], rank) < least * others) return false;
    return true;
  }

  void add(Rank rank, double to_group, std::vector<Rank>& group, std::vector<double>& inside) const {
    for (std::size_t i = 0; i < group.size(); ++i) inside[i] += bandwidth_(group[i], rank);
    group.push_back(rank);
    inside.push_back(to_group);
  }

  double mean(const std::vector<Rank>& a, const std::vector<Rank>& b) const {
    double sum = 0;
    int pairs = 0;
    for (const Rank from : a)
      for (const Rank to : b)
        if (from != to) {
          sum += bandwidth_(from, to);
          ++pairs;
        }
    return pairs > 0 ? sum / pairs : 0;
  }

  bool are_apart(const std::vector<std::vector<Rank>>& groups, double threshold) const {
    if (std::all_of(groups.begin(), groups.end(), [](const auto& group) { return group.size() == 1; }))
      return false;
    std::vector<double> within;
    for (const auto& group : groups) within.push_back(mean(group, group));
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        // A rank by itself has nothing within; two of them would have the threshold together.
        double near = groups[i].size() == 1 && groups[j].size() == 1
                          ? threshold
                          : std::numeric_limits<double>::infinity();
        for (const std::size_t side : {i, j})
          if (groups[side].size() > 1) near = std::min(near, within[side]);
        if (mean(groups[i], groups[j]) * clearly > near) return false;
      }
    return true;
  }

  const Bandwidths& bandwidth_;
  const std::vector<double>& thresholds_;
};

// Bytes per second of a link's straight line.
double rate_of(const Link& link) {
  constexpr double least_beta = 1e-15;  // seconds a byte: no way is faster than 10^15 bytes a second
  return 1 / std::max(hockney_of(link).beta, least_beta);
}

Pool pools_of_hosts(const Network& network, int ranks) {
  const auto& on_host_link = network.links[static_cast<std::size_t>(network.link_on_host)];
  const double apart = rate_of(network.links.front()), on_host = rate_of(on_host_link);
  Pool root{apart, {}, {}};
  std::map<int, std::size_t> numbers;
  for (Rank rank = 0; rank < ranks; ++rank) {
    root.ranks.push_back(rank);
    const std::size_t number = numbers.try_emplace(network.host(rank), root.pools.size()).first->second;
    if (number == root.pools.size()) root.pools.push_back({on_host, {}, {}});
    root.pools[number].ranks.push_back(rank);
  }
  if (root.pools.size() == 1) root.threshold = on_host;
  if (root.pools.size() == 1 || numbers.size() == root.ranks.size() || apart * clearly > on_host)
    root.pools.clear();
  return root;
}

}  // namespace

Bandwidths::Bandwidths(const Network& network, int ranks) : ranks_(ranks) {
  std::vector<double> rates;
  for (const Link& link : network.links) rates.push_back(rate_of(link));
  values_.reserve(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks));
  const auto rate = [&](Rank a, Rank b) {
    return rates[static_cast<std::size_t>(network.link_number(a, b))];
  };
  for (Rank a = 0; a < ranks; ++a)
    for (Rank b = 0; b < ranks; ++b) values_.push_back((rate(a, b) + rate(b, a)) / 2);
}

std::vector<double> bandwidth_thresholds(const Bandwidths& bandwidths) {
  std::vector<double> sorted;
  for (Rank a = 0; a < bandwidths.ranks(); ++a)
    for (Rank b = a + 1; b < bandwidths.ranks(); ++b) sorted.push_back(bandwidths(a, b));
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> thresholds;
  double least = 0;  // of the set
  for (const double value : sorted) {
    if (thresholds.empty() || value > next_class * least) {
      least = value;
      thresholds.push_back(value);
    }
    thresholds.back() = value;
  }
  return thresholds;
}

Pool pool_tree(const Bandwidths& bandwidths, const std::vector<double>& thresholds) {
  std::vector<Rank> all;
  for (Rank rank = 0; rank < bandwidths.ranks(); ++rank) all.push_back(rank);
  return Splitter(bandwidths, thresholds).split(std::move(all), 0);
}

Pool pool_tree(const Bandwidths& bandwidths) {
  return pool_tree(bandwidths, bandwidth_thresholds(bandwidths));
}

Pool pool_tree(const Network& network, int ranks) {
  return network.link_of.empty() ? pools_of_hosts(network, ranks) : pool_tree(Bandwidths(network, ranks));
}

}  // namespace tutti::inline core
