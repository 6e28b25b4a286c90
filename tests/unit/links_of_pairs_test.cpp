// Which links the pairs of ranks have that a probe did not measure.

#include "choose/probing/links_of_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/probing.hpp"
#include "core/schedule/by_place.hpp"

namespace tutti {
namespace {

constexpr double alike = 1.5;
constexpr double latencies_of_links[] = {1e-6, 2e-6, 4e-6};  // at a switch, in a row, between rows

// Hosts at switches of eight, which are in rows of four, as a scheduler hands them out.
class MadeUpRows final : public Prober {
 public:
  MadeUpRows(int hosts, double scatter, unsigned seed)
      : scatter_(scatter), random_(seed), places_(static_cast<std::size_t>(hosts)) {
    std::iota(places_.begin(), places_.end(), 0);
    std::shuffle(places_.begin(), places_.end(), random_);
  }
  const Site& site() const override { return site_; }
  Result<std::vector<double>> run(Experiment, const std::vector<std::vector<Rank>>& pairs, std::size_t,
                                  int) override {
    ++rounds;
    std::vector<double> times;
    for (const auto& pair : pairs) times.push_back(2 * latency(pair[0], pair[1]));
    return times;
  }
  Result<std::vector<Combination>> combine() override { return std::vector<Combination>{}; }
  int rounds = 0;

  int hosts() const { return static_cast<int>(places_.size()); }
  int link(int a, int b) const {
    const int at_a = places_[static_cast<std::size_t>(a)], at_b = places_[static_cast<std::size_t>(b)];
    return at_a / 8 == at_b / 8 ? 0 : at_a / 32 == at_b / 32 ? 1 : 2;
  }
  double latency(int a, int b) {
    return latencies_of_links[link(a, b)] * std::uniform_real_distribution(1.0, 1 + scatter_)(random_);
  }

 private:
  double scatter_;
  std::mt19937_64 random_;
  std::vector<int> places_;
  Site site_;
};

// How many of the pairs get another link than they have, where so many rounds of pairs were
// measured, and maybe what short messages take.
int count_wrong(MadeUpRows& rows, int measured_rounds, bool has_latencies) {
  const int hosts = rows.hosts();
  Hosts own(static_cast<std::size_t>(hosts));
  std::iota(own.begin(), own.end(), 0);
  std::vector<MeasuredPair> measured;
  const int all = count_rounds(hosts);
  for (int i = 0; i < measured_rounds; ++i)
    for (const auto& [a, b] : round_of_pairs(hosts, i * all / measured_rounds))
      measured.push_back({a, b, rows.latency(a, b), 1e-10, rows.link(a, b)});
  const ProbeHooks hooks{.progress = [](double, const std::string&) {}, .clock = [] { return 0.0; }};
  const Latencies latencies =
      has_latencies ? measure_latencies(ranks_by_host(own, hosts), rows, hooks, 1) : Latencies(hosts);
  const std::vector<int> links = links_of_pairs(hosts, own, measured, latencies, alike);
  int wrong = 0;
  for (int a = 0; a < hosts; ++a)
    for (int b = 0; b < hosts; ++b)
      wrong += a != b && links[static_cast<std::size_t>(a * hosts + b)] != rows.link(a, b);
  return wrong;
}

TEST(LinksOfPairs, AreThoseOfTheirLikeWhereOnlyLatenciesDiffer) {
  for (const unsigned seed : {1u, 2u, 3u})
    for (const double scatter : {0.0, 0.1}) {
      // In 127 rounds all of 128 hosts meet, and not all of more.
      for (const int hosts : {128, 320})
        for (const int measured : {4, 48}) {
          MadeUpRows rows(hosts, scatter, seed);
          EXPECT_EQ(count_wrong(rows, measured, true), 0) << hosts << ' ' << measured << ' ' << seed;
          EXPECT_LE(rows.rounds, 127);
        }
    }
}

TEST(LinksOfPairs, AreFoundAmongManyHostsWhoseNearOnesMeetFirst) {
  MadeUpRows exact(512, 0, 1), scattering(512, 0.1, 1);
  EXPECT_EQ(count_wrong(exact, 48, true), 0);
  EXPECT_LE(count_wrong(scattering, 48, true), 512 * 511 / 1000);
}

TEST(LinksOfPairs, AreMeasuredOnesWhereAllAreMeasured) {
  MadeUpRows rows(20, 0.1, 4);
  EXPECT_EQ(count_wrong(rows, 19, false), 0);
}

TEST(LinksOfPairs, OfOneHostGoByOtherHosts) {
  // Four ranks on each of two hosts, of which no two of one host were measured but on the first.
  const Hosts hosts{0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<int> links =
      links_of_pairs(8, hosts, {{0, 1, 1e-7, 1e-11, 1}, {0, 4, 1e-5, 1e-9, 0}}, Latencies(2), alike);
  for (Rank a = 0; a < 8; ++a)
    for (Rank b = 0; b < 8; ++b) EXPECT_EQ(links[static_cast<std::size_t>(a * 8 + b)], a / 4 == b / 4);
}

}  // namespace
}  // namespace tutti
