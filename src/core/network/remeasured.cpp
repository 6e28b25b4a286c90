#include "core/network/remeasured.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/network/median.hpp"

namespace tutti::inline core {
namespace {

// The link stretched so that a message of `bytes` bytes takes `seconds` seconds.
Link stretched(const Link& link, double bytes, double seconds) {
  const double latency = hockney_of(link).alpha;
  const double factor =
      std::max(seconds - latency, 0.01 * seconds) / std::max(link.time(bytes) - latency, 1e-12);
  const auto stretch = [factor](const Curve& curve, double at_zero) {
    std::vector<Curve::Point> points = curve.points();
    for (auto& [size, value] : points) value = at_zero + factor * std::max(0.0, value - at_zero);
    return Curve(std::move(points));
  };
  Link now = link;
  now.time = stretch(link.time, latency);
  now.gap = stretch(link.gap, 0);
  now.send = stretch(link.send, 0);
  return now;
}

// The network with a link for each pair, in which the hops of its torus are.
Network with_hops_in_links(const Network& network, int ranks) {
  Network apart = network;
  apart.links.clear();
  apart.link_on_host = 0;
  apart.ranks = ranks;
  std::map<std::pair<int, double>, int> numbers;  // by link and what its way takes beyond it
  for (Rank from = 0; from < ranks; ++from)
    for (Rank to = 0; to < ranks; ++to) {
      const double beyond = network.beyond_neighbors(from, to);
      const auto [entry, added] =
          numbers.try_emplace({network.link_number(from, to), beyond}, static_cast<int>(apart.links.size()));
      if (added) {
        Link link = network.between(from, to);
        std::vector<Curve::Point> points = link.time.points();
        for (Curve::Point& point : points) point.value += beyond;
        link.time = Curve(std::move(points));
        apart.links.push_back(std::move(link));
      }
      apart.link_of.push_back(entry->second);
    }
  return apart;
}

// How many times as long as before a pair's message takes; nothing of a clock that did not move.
std::optional<double> change_of(const Network& network, Rank a, Rank b, double bytes, double seconds) {
  const double before = network.between(a, b).time(bytes) + network.beyond_neighbors(a, b);
  return seconds > 0 && before > 0 ? std::optional(seconds / before) : std::nullopt;
}

constexpr double tenth = 1.1;

bool is_another_time(double factor) {
  return factor > tenth || factor * tenth < 1;
}

// It is for networks in which some pair's time is another now: these get a link for each pair.
class Remeasuring {
 public:
  Remeasuring(const Network& network, int ranks, double bytes, const Sites& sites)
      : before_(network),
        now_(network),
        ranks_(static_cast<std::size_t>(ranks)),
        bytes_(bytes),
        sites_(sites),
        site_of_(site_by_rank(sites, ranks)) {}

  Network run(const std::vector<PairTime>& times) && {
    std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> between_sites;
    for (const auto& [a, b, seconds] : times)
      if (const auto factor = change_of(before_, a, b, bytes_, seconds)) {
        between_sites[std::minmax(site_of(a), site_of(b))].push_back(*factor);
        stretch(a, b, *factor);
      }
    for (const auto& [pair, factors] : between_sites)
      if (pair.first != pair.second && agree(factors)) stretch_all(pair.first, pair.second, factors);
    keep_used_links();
    return std::move(now_);
  }

 private:
  static bool agree(const std::vector<double>& factors) {
    const auto slower = [](double factor) { return factor > tenth; };
    const auto faster = [](double factor) { return factor * tenth < 1; };
    return factors.size() > 1 && (std::all_of(factors.begin(), factors.end(), slower) ||
                                  std::all_of(factors.begin(), factors.end(), faster));
  }

  std::size_t site_of(Rank rank) const { return site_of_[static_cast<std::size_t>(rank)]; }

  void stretch_all(std::size_t a, std::size_t b, const std::vector<double>& factors) {
    const double middle = median(factors);
    for (const Rank from : sites_[a])
      for (const Rank to : sites_[b]) stretch(from, to, middle);
  }

  // From what it was before.
  void stretch(Rank a, Rank b, double factor) {
    if (!is_another_time(factor)) return;
    const int old = before_.link_number(a, b);
    const auto [entry, added] = stretched_.try_emplace({old, factor}, static_cast<int>(now_.links.size()));
    if (added) {
      const Link& link = before_.between(a, b);
      now_.links.push_back(stretched(link, bytes_, factor * link.time(bytes_)));
    }
    if (now_.link_of.empty()) give_pairs_links();
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
      now_.link_of[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)] = entry->second;
  }

  // Each its own, of those that went by hosts.
  void give_pairs_links() {
    now_.ranks = static_cast<int>(ranks_);
    now_.link_of.reserve(ranks_ * ranks_);
    for (Rank from = 0; from < now_.ranks; ++from)
      for (Rank to = 0; to < now_.ranks; ++to) now_.link_of.push_back(before_.link_number(from, to));
  }

  // Measured again and again, a network would have ever more links that no pair has.
  void keep_used_links() {
    std::map<int, int> numbers;
    for (const int link : now_.link_of) numbers.try_emplace(link);
    std::vector<Link> used;
    for (auto& [link, number] : numbers) {
      number = static_cast<int>(used.size());
      used.push_back(std::move(now_.links[static_cast<std::size_t>(link)]));
    }
    now_.links = std::move(used);
    now_.link_on_host = 0;  // it may be gone, and every pair has its own
    for (int& link : now_.link_of) link = numbers[link];
  }

  const Network& before_;
  Network now_;
  std::size_t ranks_;
  double bytes_;
  const Sites& sites_;
  std::vector<std::size_t> site_of_;                 // by rank
  std::map<std::pair<int, double>, int> stretched_;  // by old link and factor: the new link
};

}  // namespace

Network remeasured(const Network& network, int ranks, double bytes, const std::vector<PairTime>& times,
                   const Sites& sites) {
  if (network.link_of.empty() && ranks > most_ranks_apart) return network;
  const bool is_as_before = std::ranges::none_of(times, [&](const PairTime& of) {
    return is_another_time(change_of(network, of.a, of.b, bytes, of.seconds).value_or(1));
  });
  if (is_as_before) return network;
  if (network.link_of.empty() && network.torus && network.torus->hop > 0)
    return Remeasuring(with_hops_in_links(network, ranks), ranks, bytes, sites).run(times);
  return Remeasuring(network, ranks, bytes, sites).run(times);
}

}  // namespace tutti::inline core
