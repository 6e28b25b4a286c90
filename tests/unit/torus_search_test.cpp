// Which networks are taken for a torus: by latencies, and by what messages take that meet.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/alike_tori.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/price.hpp"
#include "core/network/torus_by_latencies.hpp"
#include "core/schedule/builder.hpp"

namespace tutti {
namespace {

constexpr double nearest_s = 1.03e-6, each_hop_s = 1e-6, each_byte_s = 1e-9;

// Some places of a torus, drawn in any order.
Torus drawn_torus(const std::vector<int>& sides, std::size_t hosts, unsigned seed) {
  Torus torus{.sides = sides, .seconds_per_byte = each_byte_s, .hop = each_hop_s};
  std::vector<std::vector<int>> all{{}};
  for (const int side : sides) {
    std::vector<std::vector<int>> longer;
    for (const auto& begun : all)
      for (int at = 0; at < side; ++at) {
        longer.push_back(begun);
        longer.back().push_back(at);
      }
    all = std::move(longer);
  }
  std::shuffle(all.begin(), all.end(), std::mt19937(seed));
  torus.coordinates.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(hosts));
  return torus;
}

Latencies latencies_by(int hosts, const std::function<double(int, int)>& seconds) {
  Latencies latencies(hosts);
  for (int a = 0; a < hosts; ++a)
    for (int b = 0; b < a; ++b) latencies.set(a, b, seconds(a, b));
  return latencies;
}

Latencies latencies_in(const Torus& torus, double scatter = 0) {
  std::mt19937 random;
  std::uniform_real_distribution<double> factor(-scatter, scatter);
  return latencies_by(static_cast<int>(torus.coordinates.size()), [&](int a, int b) {
    return nearest_s + each_hop_s * (torus.distance(a, b) - 1 + factor(random));
  });
}

// All that latencies tell.
void expect_same_distances(const Torus& found, const Torus& torus) {
  for (int a = 0; a < static_cast<int>(torus.coordinates.size()); ++a)
    for (int b = 0; b < a; ++b) ASSERT_EQ(found.distance(a, b), torus.distance(a, b)) << a << " and " << b;
}

TEST(TorusByLatencies, IsFoundWhateverTheOrderOfHosts) {
  unsigned seed = 0;
  for (const std::vector<int>& sides : std::vector<std::vector<int>>{
           {4, 4, 6}, {8, 8}, {9, 5}, {3, 4, 5}, {16}, {2, 6, 6}, {4, 4, 4, 4}, {7, 2}})
    for (int draw = 0; draw < 3; ++draw) {
      const std::size_t places = drawn_torus(sides, 0, 0).places();
      SCOPED_TRACE(text_of_sides(sides));
      const Torus torus = drawn_torus(sides, places, ++seed);
      const auto found = torus_by_latencies(latencies_in(torus, 0.1));
      ASSERT_TRUE(found);
      EXPECT_EQ(found->places(), places);
      EXPECT_FALSE(contradiction_of_torus(*found, static_cast<int>(places)));
      EXPECT_NEAR(found->hop, each_hop_s, 0.1 * each_hop_s);
      expect_same_distances(*found, torus);
    }
}

TEST(TorusByLatencies, MayLackHosts) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Torus torus = drawn_torus({4, 4, 6}, 60 + 3 * seed, seed);
    const auto found = torus_by_latencies(latencies_in(torus));
    ASSERT_TRUE(found);
    expect_same_distances(*found, torus);
  }
}

TEST(TorusByLatencies, IsFoundWhereNotAllPairsAreMeasured) {
  const Torus torus = drawn_torus({8, 8, 4}, 256, 5);
  Latencies some(256);
  std::mt19937 random;
  for (int a = 0; a < 256; ++a)
    for (int b = 0; b < a; ++b)
      if (random() % 2 == 0) some.set(a, b, nearest_s + each_hop_s * (torus.distance(a, b) - 1));
  const auto found = torus_by_latencies(some);
  ASSERT_TRUE(found);
  expect_same_distances(*found, torus);
}

// A side of 4 is two of 2, and those of two sides of 4 are dealt out in three ways.
TEST(AlikeTori, HaveTheSameDistancesAndOtherRoutes) {
  const auto number = [](const std::vector<int>& sides) {
    const Torus torus = drawn_torus(sides, drawn_torus(sides, 0, 0).places(), 7);
    const auto all = alike_tori(torus, 1000);
    for (const Torus& other : all) {
      EXPECT_FALSE(contradiction_of_torus(other, static_cast<int>(torus.coordinates.size())));
      expect_same_distances(other, torus);
    }
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_NE(all[i], all[i - 1]);
    return all.size();
  };
  EXPECT_EQ(number({4, 4, 6}), 18u);
  EXPECT_EQ(number({5, 6}), 2u);
  EXPECT_EQ(number({4, 2}), 6u);
  EXPECT_EQ(number({8}), 1u);
}

TEST(AlikeTori, AreNoMoreThanAskedFor) {
  const Torus torus = drawn_torus({4, 4, 4, 4}, 256, 1);
  EXPECT_LE(alike_tori(torus, 240).size(), 240u);
  EXPECT_GE(alike_tori(torus, 1).size(), 24u) << "all orders";
}

// The number of switches' levels up to where two hosts are joined.
int levels_to(int a, int b, const std::vector<int>& hosts) {
  int level = 0;
  while (level < static_cast<int>(hosts.size()) &&
         a / hosts[static_cast<std::size_t>(level)] != b / hosts[static_cast<std::size_t>(level)])
    ++level;
  return level;
}

TEST(TorusByLatencies, IsNoneElsewhere) {
  const auto none = [](const char* what, int hosts, const std::function<double(int, int)>& seconds) {
    EXPECT_FALSE(torus_by_latencies(latencies_by(hosts, seconds))) << what;
  };
  std::mt19937 random;
  std::uniform_real_distribution<double> any(1e-6, 5e-6);
  none("star", 96, [](int, int) { return 3e-6; });
  none("times that scatter", 32, [&](int, int) { return any(random); });
  none("times of a star that scatter a little", 32, [&](int, int) { return 3e-6 + any(random) / 100; });
  none("fat tree", 96, [](int a, int b) { return 1e-6 * (1 + levels_to(a, b, {4, 16, 48})); });
  none("fat tree, two hosts a leaf", 64, [](int a, int b) {
    return 1e-6 * (1 + levels_to(a, b, {2, 8, 32}));
  });
  none("dragonfly", 144, [](int a, int b) { return 1e-6 * (1 + levels_to(a, b, {2, 18, 72})); });
  none("three sites", 20, [](int a, int b) {
    const auto site = [](int host) { return host < 8 ? 0 : host < 12 ? 1 : 2; };
    return site(a) == site(b) ? 5e-5 : site(a) + site(b) == 1 ? 5e-3 : site(a) + site(b) == 2 ? 8e-3 : 9e-3;
  });
  none("a line of switches", 40, [](int a, int b) { return 1e-6 * (1 + std::abs(a / 4 - b / 4)); });
  none("a ring of 4, twice", 4, [](int a, int b) { return 1e-6 * steps_apart(a, b, 4); });
}

// Hosts of a network, their own order apart from that of ranks, by what the pricer says.
class PricedSite final : public Prober {
 public:
  explicit PricedSite(Network network) : network_(std::move(network)) {
    site_.ranks = static_cast<int>(network_.known_ranks());
    site_.hosts = dealt_hosts(site_.ranks, site_.ranks);
    site_.simulated = true;
  }
  const Site& site() const override { return site_; }
  Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                  std::size_t bytes, int) override {
    ++experiments;
    const auto ranks = static_cast<std::size_t>(site_.ranks);
    Schedule schedule{
        {.collective = Collective::alltoall, .ranks = site_.ranks, .root = 0, .blocks = site_.ranks}, {}, {}};
    std::vector<Builder> builders;
    for (Rank rank = 0; rank < site_.ranks; ++rank) builders.emplace_back(schedule.shape, rank);
    const auto message = [&](Rank from, Rank to) {
      builders[static_cast<std::size_t>(from)].send(to, input(to));
      builders[static_cast<std::size_t>(to)].recv(from, output(from));
    };
    for (const auto& group : groups)
      for (std::size_t other = 1; other < group.size(); ++other)
        experiment == Experiment::all_to_one ? message(group[other], group[0])
                                             : message(group[0], group[other]);
    for (Builder& builder : builders) schedule.parts.push_back(std::move(builder).finish());
    std::vector<Price::Step> steps;
    price(schedule, ranks * bytes, network_, limit_of(network_), &steps);
    std::vector<double> times(groups.size());
    for (const Price::Step& step : steps)
      for (std::size_t i = 0; i < groups.size(); ++i)
        if (std::ranges::find(groups[i], step.what.rank) != groups[i].end())
          times[i] = std::max(times[i], step.end * (experiment == Experiment::round_trip ? 2 : 1));
    return times;
  }
  Result<std::vector<Combination>> combine() override { return std::vector<Combination>{}; }
  int experiments = 0;

 private:
  Network network_;
  Site site_;
};

Network network_in(const Torus& torus) {
  return {.links = {Link::swift({.alpha = nearest_s, .beta = each_byte_s})},
          .ports = PortUse::shared,
          .width = {6, 6, 6},
          .plans_wait = true,
          .torus = torus};
}

Network probed_site(const Network& network, int* experiments = nullptr) {
  PricedSite site(network);
  Network known = network;
  known.torus.reset();
  known.width = {};
  std::optional<Latencies> latencies;
  const ProbeHooks still{.clock = [] { return 0.0; }};
  Network found = probe_torus(known, site, still, latencies).value();
  if (experiments) *experiments = site.experiments;
  return probe_port_width(std::move(found), site, still).value();
}

TEST(TorusProbing, FindsTheOrderOfDimensionsAndWhichWayMessagesTake) {
  unsigned seed = 0;
  for (const std::vector<int>& sides :
       std::vector<std::vector<int>>{{4, 4, 6}, {6, 4, 4}, {4, 6, 4}, {3, 8}, {8, 3}, {16, 2}}) {
    SCOPED_TRACE(text_of_sides(sides));
    const Torus torus = drawn_torus(sides, drawn_torus(sides, 0, 0).places(), ++seed);
    const Network found = probed_site(network_in(torus));
    ASSERT_TRUE(found.torus);
    EXPECT_EQ(found.torus->sides, torus.sides);
    EXPECT_NEAR(found.torus->seconds_per_byte, each_byte_s, 1e-3 * each_byte_s);
    EXPECT_NEAR(found.torus->hop, each_hop_s, 1e-3 * each_hop_s);
    for (int from = 0; from < static_cast<int>(torus.coordinates.size()); ++from)
      for (int to = 0; to < from; ++to) ASSERT_EQ(found.torus->distance(from, to), torus.distance(from, to));
    EXPECT_NEAR(found.width.out, sides.size() == 3 ? 6 : sides[1] == 2 ? 3 : 4, 0.01);
    EXPECT_EQ(found.width.busy, std::min(found.width.out, found.width.in));
  }
}

TEST(TorusProbing, FindsOneThatLacksHosts) {
  const Torus torus = drawn_torus({4, 4, 6}, 85, 3);
  const Network found = probed_site(network_in(torus));
  ASSERT_TRUE(found.torus);
  EXPECT_EQ(found.torus->sides, torus.sides);
}

TEST(TorusProbing, BelievesNoneWhoseLinksAreWide) {
  Torus torus = drawn_torus({4, 4, 6}, 96, 1);
  torus.seconds_per_byte = 0;
  EXPECT_FALSE(probed_site(network_in(torus)).torus);
  torus.seconds_per_byte = each_byte_s / 8;
  EXPECT_FALSE(probed_site(network_in(torus)).torus);
}

TEST(TorusProbing, MeasuresNoBandwidthWhereLatenciesTellNone) {
  Network star{.links = {Link::swift({.alpha = nearest_s, .beta = each_byte_s})}, .ports = PortUse::shared};
  star.hosts = dealt_hosts(24, 24);
  int experiments = 0;
  EXPECT_FALSE(probed_site(star, &experiments).torus);
  EXPECT_EQ(experiments, 23) << "latencies";
  star.hosts = dealt_hosts(7, 7);
  EXPECT_FALSE(probed_site(star, &experiments).torus);
  EXPECT_EQ(experiments, 0);
}

}  // namespace
}  // namespace tutti
