#include "choose/probing/probing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/size.hpp"
#include "choose/probing/constants.hpp"
#include "choose/probing/curve_probing.hpp"
#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/links_of_pairs.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/groups.hpp"
#include "core/schedule/by_place.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline choose {
namespace {

using Pair = std::pair<Rank, Rank>;

struct PairTimes {
  Pair pair;
  double latency;           // seconds one way, of the short one
  double seconds_per_byte;  // of the long one beyond that
};

struct LinkClass {
  std::vector<PairTimes> pairs;
  bool has(const PairTimes& other, const probing::Likeness& likeness) const {
    const PairTimes& first = pairs.front();
    return are_alike(first.latency, other.latency, likeness.latency) &&
           are_alike(first.seconds_per_byte, other.seconds_per_byte, likeness.rate);
  }
  // The pair in the middle.
  const PairTimes& typical() {
    const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2);
    std::nth_element(pairs.begin(), middle, pairs.end(), [](const PairTimes& a, const PairTimes& b) {
      return a.seconds_per_byte < b.seconds_per_byte;
    });
    return *middle;
  }
};

class Probing {
 public:
  Probing(const ProbeRequest& request, Prober& prober, const ProbeHooks& hooks,
          std::optional<Latencies>* latencies)
      : request_(request),
        prober_(prober),
        hooks_(hooks),
        latencies_(latencies),
        ranks_(prober.site().ranks) {}

  Result<Network> run() {
    if (ranks_ < 2) return failure("one rank has no network; start at least two");
    try {
      measure_pairs();
      find_classes();
      measure_classes_alone();
      for (std::size_t i = 0; i < classes_.size(); ++i) network_.links.push_back(link_of(i));
      assign_links();
      network_.hosts = prober_.site().hosts;
      measure_memory();
      // Between sites many connections share a port, and each takes little of it.
      const bool side_by_side =
          prober_.site().simulated || KnownNetwork::of(network_, ranks_).sites.size() > 1;
      network_.ports = side_by_side ? PortUse::shared : PortUse::in_turn;
      network_.eager = static_cast<double>(eager_limit());
      network_.plans_wait = prober_.site().simulated;
      network_.combinations = value(prober_.combine());
      for (const auto& [operation, type, seconds] : network_.combinations)
        if (operation == "MPI_SUM" && type == "MPI_DOUBLE") network_.gamma = seconds;
      return by_hosts_if_equal(std::move(network_));
    } catch (const Error& error) {
      return tl::unexpected(error);
    }
  }

 private:
  template <typename T>
  static T value(Result<T> result) {
    if (!result) throw result.error();
    return std::move(*result);
  }

  double measure(Experiment experiment, Pair pair, std::size_t bytes, int repetitions) {
    return value(prober_.run(experiment, {{pair.first, pair.second}}, bytes, repetitions)).front();
  }

  void measure_pairs() {
    // Where they are many: rounds of many different distances between partners.
    const int all = count_rounds(ranks_), rounds = std::min(all, request_.most_partners);
    const double until = request_.budget_s * probing::pairs_share;
    double slowest = until;  // nobody knows yet
    for (int i = 0; i < rounds; ++i) {
      // Few repetitions rather than few rounds; but all time that there is must not be exceeded.
      if (i > 0 && hooks_.clock() > request_.budget_s) break;
      hooks_.progress(probing::pairs_share * i / rounds, fmt::format("pairs, round {} of {}", i + 1, rounds));
      const double share = (until - hooks_.clock()) / (rounds - i);
      const auto pairs = round_of_pairs(ranks_, static_cast<int>(std::int64_t{i} * all / rounds));
      std::vector<std::vector<Rank>> groups;
      for (const auto& [a, b] : pairs) groups.push_back({a, b});
      const int times = repetitions_within(share, slowest, prober_);
      const int small_times = prober_.site().simulated ? 1 : std::max(times, probing::least_of_short);
      const auto at_small =
          value(prober_.run(Experiment::round_trip, groups, probing::short_bytes, small_times));
      const auto at_large = value(prober_.run(Experiment::round_trip, groups, probing::long_bytes, times));
      slowest = 0;
      for (std::size_t pair = 0; pair < groups.size(); ++pair) {
        const double latency = std::max(0.0, at_small[pair] / 2);  // clocks may be set back
        const double beyond = std::max(0.0, at_large[pair] / 2 - latency);
        times_.push_back({pairs[pair], latency, beyond / (probing::long_bytes - probing::short_bytes)});
        slowest = std::max(slowest, at_small[pair] + at_large[pair]);
      }
    }
  }

  void find_classes() {
    for (const PairTimes& pair : times_) {
      const auto found = std::find_if(classes_.begin(), classes_.end(),
                                      [&](const LinkClass& c) { return c.has(pair, likeness()); });
      if (found != classes_.end())
        found->pairs.push_back(pair);
      else
        classes_.push_back({{pair}});
    }
    sort_classes();
  }

  // Pairs of a round may have been in each other's way, where what is between hosts is narrow: of
  // several classes one pair each is measured by itself, and those that are alike then are one.
  void measure_classes_alone() {
    if (classes_.size() == 1) return;
    std::vector<LinkClass> alone;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      PairTimes typical = classes_[i].typical();
      if (i < probing::most_alone) {
        hooks_.progress(probing::pairs_share,
                        fmt::format("kinds of links, {} of {}", i + 1, classes_.size()));
        const double time =
            measure(Experiment::round_trip, typical.pair, probing::long_bytes, simulated_or_few()) / 2;
        typical.seconds_per_byte =
            std::max(0.0, time - typical.latency) / (probing::long_bytes - probing::short_bytes);
      }
      const auto same =
          std::ranges::find_if(alone, [&](const LinkClass& c) { return c.has(typical, likeness()); });
      LinkClass& into = same != alone.end() ? *same : alone.emplace_back();
      if (into.pairs.empty()) into.pairs.push_back(typical);
      for (const PairTimes& pair : classes_[i].pairs)
        if (pair.pair != into.pairs.front().pair)
          into.pairs.push_back({pair.pair, pair.latency, typical.seconds_per_byte});
    }
    classes_ = std::move(alone);
    sort_classes();
  }

  int simulated_or_few() const { return prober_.site().simulated ? 1 : probing::least_repetitions; }

  const probing::Likeness& likeness() const {
    return prober_.site().simulated ? probing::simulated_likeness : probing::real_likeness;
  }

  void sort_classes() {
    std::stable_sort(classes_.begin(), classes_.end(),
                     [](const LinkClass& a, const LinkClass& b) { return a.pairs.size() > b.pairs.size(); });
  }

  Link link_of(std::size_t number) {
    const PairTimes typical = classes_[number].typical();
    if (number >= probing::most_curves)
      return Link::swift({.alpha = typical.latency, .beta = typical.seconds_per_byte});
    const double curves = static_cast<double>(std::min(classes_.size(), probing::most_curves));
    const double until =
        hooks_.clock() + (request_.budget_s - hooks_.clock()) / (curves - static_cast<double>(number) + 1);
    const auto show = [&](std::size_t bytes) {
      hooks_.progress(std::min(hooks_.clock() / request_.budget_s, 1.0),
                      fmt::format("links of class {}, {} bytes", number + 1, size_text(bytes)));
    };
    return probe_curves({typical.pair.first,
                         typical.pair.second,
                         {.alpha = typical.latency, .beta = typical.seconds_per_byte},
                         request_.largest,
                         request_.overheads,
                         until},
                        prober_, {hooks_.clock, show});
  }

  // On thousands of ranks by hosts alone: who has which link with whom would take gigabytes.
  void assign_by_hosts() {
    const Hosts& hosts = prober_.site().hosts;
    std::array<std::map<std::size_t, std::size_t>, 2>
        pairs;  // by whether they are on one host: how many of a class
    for (std::size_t number = 0; number < classes_.size(); ++number)
      for (const PairTimes& known : classes_[number].pairs)
        ++pairs[hosts[static_cast<std::size_t>(known.pair.first)] ==
                hosts[static_cast<std::size_t>(known.pair.second)]][number];
    const auto usual = [](const std::map<std::size_t, std::size_t>& counts) {
      return std::max_element(counts.begin(), counts.end(),
                              [](const auto& a, const auto& b) { return a.second < b.second; })
          ->first;
    };
    const std::size_t apart = usual(pairs[pairs[0].empty()]), on_host = usual(pairs[!pairs[1].empty()]);
    std::vector<Link> links{network_.links[apart]};
    if (on_host != apart) links.push_back(network_.links[on_host]);
    network_.link_on_host = on_host != apart;
    network_.links = std::move(links);
  }

  void assign_links() {
    if (classes_.size() == 1) return;
    if (ranks_ > most_ranks_apart) return assign_by_hosts();
    std::vector<MeasuredPair> measured;
    for (std::size_t number = 0; number < classes_.size(); ++number)
      for (const PairTimes& known : classes_[number].pairs)
        measured.push_back({known.pair.first, known.pair.second, known.latency, known.seconds_per_byte,
                            static_cast<int>(number)});
    const Hosts& hosts = prober_.site().hosts;
    const RanksOfHosts by_host = ranks_by_host(hosts, ranks_);
    const bool has_all =
        times_.size() == static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(ranks_ - 1) / 2;
    const double until = hooks_.clock() + probing::latencies_share * request_.budget_s;
    const bool measures = !has_all && by_host.size() >= 4;
    const Latencies latencies = measures ? measure_latencies(by_host, prober_, hooks_, until)
                                         : Latencies(static_cast<int>(by_host.size()));
    const bool are_all = measures && hooks_.clock() < until;
    if (latencies_ && are_all) *latencies_ = latencies;
    network_.ranks = ranks_;
    network_.link_of = links_of_pairs(ranks_, hosts, measured, latencies, likeness().latency);
  }

  // Between ranks of one host, if there are such that can share memory: of one of its parts, and
  // where parts are known, of two that are 1, 2, … levels apart. Where no two are so many levels
  // apart, what is measured of the next nearer ones counts.
  void measure_memory() {
    if (!prober_.site().setting().shares_memory()) return;
    for (const auto& [levels, pair] : pairs_on_hosts()) {
      auto link = memory_between(
          pair, levels == 0 ? "memory of a host"
                            : fmt::format("memory of a host, {} apart", counted(levels, "level")));
      if (!link) return;
      if (!network_.memory) {
        network_.memory = std::move(link);
        continue;
      }
      auto& apart = network_.memory_apart;
      apart.resize(levels - 1, apart.empty() ? *network_.memory : apart.back());
      apart.push_back(std::move(*link));
    }
  }

  // Two ranks of one host each, by how many levels of its parts they are apart: the first that are.
  std::map<std::size_t, Pair> pairs_on_hosts() const {
    const Site& site = prober_.site();
    const Network parts = with_parts_of_hosts({.hosts = site.hosts}, site.in_hosts);
    std::map<std::size_t, Pair> pairs;
    for (const auto& here : ranks_by_host(site.hosts, ranks_)) {
      std::map<int, std::vector<Rank>> of_group;  // two of each stand for all
      for (const Rank rank : here) {
        auto& own = of_group[parts.innermost_group(rank)];
        if (own.size() == 2) continue;
        for (const auto& [group, others] : of_group)
          for (const Rank other : others) pairs.try_emplace(parts.levels_apart(other, rank), other, rank);
        own.push_back(rank);
      }
    }
    return pairs;
  }

  std::optional<Link> memory_between(Pair pair, const std::string& doing) {
    hooks_.progress(1, doing);
    std::vector<Curve::Point> time;
    for (std::size_t bytes = 1; bytes <= request_.largest && !(bytes > 1 && time.empty()); bytes *= 2)
      if (const double seconds = measure(Experiment::in_memory, pair, bytes, probing::most_repetitions);
          seconds > 0)
        time.push_back({static_cast<double>(bytes), seconds / 2});
    if (time.empty()) return std::nullopt;
    return Link{.time = Curve(time), .gap = Curve(time), .send = {}, .receive = {}};
  }

  // Between the nearest hosts, or on the only one.
  Pair nearest_pair() const {
    const auto is_nearer = [&](const PairTimes& a, const PairTimes& b) {
      const Hosts& hosts = prober_.site().hosts;
      const auto together = [&](const PairTimes& pair) {
        return hosts[static_cast<std::size_t>(pair.pair.first)] ==
               hosts[static_cast<std::size_t>(pair.pair.second)];
      };
      return std::pair(together(a), a.seconds_per_byte) < std::pair(together(b), b.seconds_per_byte);
    };
    return std::min_element(times_.begin(), times_.end(), is_nearer)->pair;
  }

  // The longest message that leaves before its receiver is ready; where times scatter to within a
  // sixteenth.
  std::size_t eager_limit() {
    const Pair nearest = nearest_pair();
    const auto leaves = [&](std::size_t bytes) {
      return measure(Experiment::late_receiver, nearest, bytes, 1) < 0.5;
    };
    hooks_.progress(1, "the eager limit");
    std::size_t low = 0, high = 1;
    while (high <= request_.largest && leaves(high)) low = std::exchange(high, 2 * high);
    const auto narrow = [&] { return prober_.site().simulated ? 1 : std::max<std::size_t>(1, low / 16); };
    while (high - low > narrow()) {
      const std::size_t middle = (low + high) / 2;
      (leaves(middle) ? low : high) = middle;
    }
    return low;
  }

  const ProbeRequest& request_;
  Prober& prober_;
  const ProbeHooks& hooks_;
  std::optional<Latencies>* latencies_;
  int ranks_;
  std::vector<PairTimes> times_;
  std::vector<LinkClass> classes_;  // most pairs first
  Network network_;
};

}  // namespace

int count_rounds(int ranks) {
  return ranks + ranks % 2 - 1;
}

std::vector<std::pair<Rank, Rank>> round_of_pairs(int ranks, int round) {
  const int seats = ranks + ranks % 2;  // an odd one out has an empty seat as partner
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<std::size_t>(seats / 2));
  for (int i = 0; i < seats / 2; ++i) {
    const Rank a = i == 0 ? seats - 1 : (round + i) % (seats - 1);
    const Rank b = i == 0 ? round : (round - i + seats - 1) % (seats - 1);
    if (a < ranks && b < ranks) pairs.emplace_back(std::min(a, b), std::max(a, b));
  }
  return pairs;
}

Result<Network> probe(const ProbeRequest& request, Prober& prober, const ProbeHooks& hooks,
                      std::optional<Latencies>* latencies) {
  return Probing(request, prober, hooks, latencies).run();
}

}  // namespace tutti::inline choose
