// Whether hosts are in a torus whose links are what messages share: latencies tell the places, and
// what pairs take that exchange long messages at once has to be what the torus says. That also
// tells in which order messages go along its dimensions, and which of two ways round they take that
// are as long.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "choose/probing/constants.hpp"
#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/alike_tori.hpp"
#include "core/network/median.hpp"
#include "core/network/price.hpp"
#include "core/network/torus_by_latencies.hpp"
#include "core/schedule/builder.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti::inline choose {
namespace {

using Pairs = std::vector<std::pair<int, int>>;  // of hosts, from one to the other

class TorusProbing {
 public:
  TorusProbing(const Network& network, const RanksOfHosts& hosts, Prober& prober, const ProbeHooks& hooks)
      : network_(network), prober_(prober), hooks_(hooks), hosts_(first_ranks(hosts)) {}

  // The torus, its dimensions in the order in which messages go, if what pairs take is what it
  // says.
  std::optional<Torus> run(Torus torus) {
    torus.seconds_per_byte = find_link(torus);
    if (torus.seconds_per_byte <= 0) return std::nullopt;
    choose_rounds(torus);
    measure();
    Torus best;
    double least = std::numeric_limits<double>::infinity();
    for (Torus& other : alike_tori(torus, probing::most_alike_tori)) {
      double own = missed_by(other);
      for (std::size_t i = 0; i < other.sides.size(); ++i) {
        if (other.sides[i] == 2 || other.sides[i] % 2 == 1) continue;
        Torus seen = turned(other, i);
        if (const double missed = missed_by(seen); missed < own) {
          own = missed;
          other = std::move(seen);
        }
      }
      if (own < least) {
        least = own;
        best = std::move(other);
      }
    }
    return is_borne_out(best) ? std::optional(best) : std::nullopt;
  }

 private:
  Rank rank(int host) const { return hosts_[static_cast<std::size_t>(host)]; }

  // The seconds a byte of the fastest link between neighbours, which stands for all.
  double find_link(const Torus& torus) {
    for (int host = 1; host < static_cast<int>(hosts_.size()); ++host)
      for (int other = 0; other < host; ++other)
        if (torus.distance(host, other) == 1) {
          const Hockney each = hockney_of(network_.between(rank(host), rank(other)));
          if (link_.beta == 0 || each.beta < link_.beta) link_ = each;
        }
    return link_.beta;
  }

  // Draws rounds of pairs, and takes those in which most messages meet on links.
  void choose_rounds(const Torus& torus) {
    std::mt19937_64 random;
    std::vector<int> hosts(hosts_.size());
    std::iota(hosts.begin(), hosts.end(), 0);
    std::vector<std::pair<std::size_t, Pairs>> drawn;
    for (int i = 0; i < probing::drawn_rounds_on_a_torus; ++i) {
      std::ranges::shuffle(hosts, random);
      Pairs pairs;
      for (std::size_t place = 0; place + 1 < hosts.size(); place += 2)
        pairs.emplace_back(hosts[place], hosts[place + 1]);
      std::vector<int> links;
      for (const auto& [from, to] : pairs) {
        const auto route = torus.route(from, to);
        links.insert(links.end(), route.begin(), route.end());
      }
      std::ranges::sort(links);
      const std::size_t shared = links.size() - static_cast<std::size_t>(std::ranges::distance(
                                                    links.begin(), std::ranges::unique(links).begin()));
      drawn.emplace_back(shared, std::move(pairs));
    }
    std::ranges::stable_sort(drawn, std::greater(), [](const auto& round) { return round.first; });
    for (std::size_t i = 0; i < probing::rounds_on_a_torus; ++i)
      rounds_.push_back(std::move(drawn[i].second));
  }

  void measure() {
    const int repetitions = prober_.site().simulated ? 1 : probing::least_repetitions;
    for (const Pairs& pairs : rounds_) {
      hooks_.progress(1, "messages that meet on the links of a torus");
      std::vector<std::vector<Rank>> groups;
      for (const auto& [from, to] : pairs) groups.push_back({rank(from), rank(to)});
      auto times = prober_.run(Experiment::there, groups, probing::bytes_on_a_torus, repetitions);
      if (!times) throw times.error();
      measured_.push_back(std::move(*times));
    }
  }

  // By how much what pairs took differs from what a torus says, as the mean of its logarithm.
  double missed_by(const Torus& torus) const {
    double missed = 0;
    std::size_t pairs = 0;
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      const std::vector<double> priced = priced_on(torus, rounds_[round]);
      for (std::size_t i = 0; i < priced.size(); ++i)
        missed += measured_[round][i] > 0 ? std::abs(std::log(priced[i] / measured_[round][i])) : 1;
      pairs += priced.size();
    }
    return missed / static_cast<double>(pairs);
  }

  // Whether those pairs are slowed down whose messages meet on links, and no others.
  bool is_borne_out(const Torus& torus) const {
    std::vector<double> meet, alone;  // seconds
    for (std::size_t round = 0; round < rounds_.size(); ++round) {
      const std::vector<double> priced = priced_on(torus, rounds_[round]);
      const double least = *std::ranges::min_element(priced);
      for (std::size_t i = 0; i < priced.size(); ++i)
        (priced[i] > probing::slowed_on_a_torus * least ? meet : alone).push_back(measured_[round][i]);
    }
    const auto pairs = static_cast<double>(meet.size() + alone.size());
    if (static_cast<double>(std::min(meet.size(), alone.size())) < probing::least_of_a_kind * pairs)
      return false;
    const double usual = median(alone);
    const auto is_slowed = [usual](double seconds) { return seconds > probing::slowed_on_a_torus * usual; };
    const auto wrong =
        std::ranges::count_if(alone, is_slowed) + std::ranges::count_if(meet, std::not_fn(is_slowed));
    return static_cast<double>(wrong) <= probing::most_wrong_on_a_torus * pairs;
  }

  // Seconds that a message of each pair takes.
  std::vector<double> priced_on(const Torus& torus, const Pairs& pairs) const {
    const auto hosts = static_cast<int>(hosts_.size());
    // All messages are under way at once, and share links whatever ports do.
    const Network network{
        .links = {Link::swift(link_)}, .ports = PortUse::shared, .plans_wait = true, .torus = torus};
    Schedule schedule{{.collective = Collective::bcast, .ranks = hosts, .root = 0, .blocks = 1}, {}, {}};
    std::vector<std::optional<int>> sends(hosts_.size()), receives(hosts_.size());
    std::vector<std::size_t> number(hosts_.size());  // by sender: its pair's
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto [from, to] = pairs[i];
      sends[static_cast<std::size_t>(from)] = to;
      receives[static_cast<std::size_t>(to)] = from;
      number[static_cast<std::size_t>(from)] = i;
    }
    for (int host = 0; host < hosts; ++host) {
      Builder b(schedule.shape, host);
      if (const auto to = sends[static_cast<std::size_t>(host)]) b.send(*to, output(0));
      if (const auto from = receives[static_cast<std::size_t>(host)]) b.recv(*from, output(0));
      schedule.parts.push_back(std::move(b).finish());
    }
    std::vector<Price::Step> steps;
    price(schedule, probing::bytes_on_a_torus, network, limit_of(network), &steps);
    std::vector<double> seconds(pairs.size());
    for (const Price::Step& step : steps)
      seconds[number[static_cast<std::size_t>(step.what.rank)]] = step.end;
    return seconds;
  }

  const Network& network_;
  Prober& prober_;
  const ProbeHooks& hooks_;
  std::vector<Rank> hosts_;  // a rank of each
  Hockney link_;             // between neighbours
  std::vector<Pairs> rounds_;
  std::vector<std::vector<double>> measured_;  // by round and pair
};

// Whether the one link of all pairs was measured between neighbours: it may be of hosts that are
// farther apart, whose further links it tells then.
bool is_of_neighbors(const Network& network, const Latencies& latencies) {
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < latencies.hosts(); ++a)
    for (int b = 0; b < a; ++b)
      if (const double each = latencies(a, b); each > 0) least = std::min(least, each);
  return network.links.front().time(1) < least + network.torus->hop / 2;
}

}  // namespace

Result<Network> probe_torus(Network network, Prober& prober, const ProbeHooks& hooks,
                            std::optional<Latencies>& latencies) {
  const RanksOfHosts hosts = ranks_by_host(prober.site().hosts, prober.site().ranks);
  const auto count = static_cast<int>(hosts.size());
  if (count < fewest_hosts_of_a_torus || count > most_ranks_apart) return network;
  try {
    if (!latencies)
      latencies = measure_latencies(hosts, prober, hooks, std::numeric_limits<double>::infinity());
    if (auto torus = torus_by_latencies(*latencies))
      network.torus = TorusProbing(network, hosts, prober, hooks).run(std::move(*torus));
    if (network.torus && network.link_of.empty() && !is_of_neighbors(network, *latencies))
      network.torus->hop = 0;
    return network;
  } catch (const Error& error) {
    return tl::unexpected(error);
  }
}

}  // namespace tutti::inline choose
