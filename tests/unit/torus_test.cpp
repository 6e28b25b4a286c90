// Hosts in a torus: routes, prices of messages that meet on links between other hosts, and the
// network's file.

#include "core/network/torus.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/network/by_hosts.hpp"
#include "core/network/group_levels.hpp"
#include "core/network/network_file.hpp"
#include "core/network/price.hpp"
#include "core/network/quantised.hpp"
#include "core/network/remeasured.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/plan_symmetry.hpp"
#include "core/plan/sampled_price.hpp"
#include "core/schedule/builder.hpp"

namespace tutti {
namespace {

constexpr double first_s = 1e-6, farther_s = 5e-7, byte_s = 1e-8;
constexpr std::size_t block_bytes = 10000;
constexpr double block_s = block_bytes * byte_s;

// All places have a host, those along the first side beside each other.
Torus full_torus(const std::vector<int>& sides) {
  Torus torus{.sides = sides, .seconds_per_byte = byte_s, .hop = farther_s};
  for (std::size_t host = 0; host < torus.places(); ++host) {
    std::vector<int>& at = torus.coordinates.emplace_back();
    int place = static_cast<int>(host);
    for (const int side : sides) {
      at.push_back(place % side);
      place /= side;
    }
  }
  return torus;
}

Network of_torus(Torus torus, PortUse ports = PortUse::shared) {
  return {.links = {Link::swift({.alpha = first_s, .beta = byte_s})},
          .ports = ports,
          .width = {6, 6, 6},
          .torus = std::move(torus)};
}

// What messages between pairs take that are sent at once.
Price of_pairs(const std::vector<std::pair<Rank, Rank>>& pairs, const Network& network) {
  const int ranks = static_cast<int>(network.known_ranks());
  Schedule schedule{{.collective = Collective::alltoall, .ranks = ranks, .root = 0, .blocks = ranks}, {}, {}};
  for (Rank rank = 0; rank < ranks; ++rank) {
    Builder b(schedule.shape, rank);
    for (const auto& [from, to] : pairs) {
      if (rank == from) b.send(to, input(to));
      if (rank == to) b.recv(from, output(from));
    }
    schedule.parts.push_back(std::move(b).finish());
  }
  return price(schedule, static_cast<std::size_t>(ranks) * block_bytes, network);
}

TEST(Torus, RoutesGoAlongOneDimensionAfterTheOther) {
  const Torus torus = full_torus({4, 4, 6});
  EXPECT_EQ(torus.places(), 96u);
  const auto way = [&](int from, int to) {
    std::vector<std::vector<int>> places;
    for (const int link : torus.route(from, to)) {
      const auto step = torus.step(link);
      if (places.empty()) places.push_back(step.from);
      EXPECT_EQ(places.back(), step.from);
      places.push_back(step.to);
    }
    EXPECT_EQ(static_cast<int>(places.size()), torus.distance(from, to) + 1);
    return places;
  };
  using Way = std::vector<std::vector<int>>;
  EXPECT_EQ(way(0, 5), (Way{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(way(5, 0), (Way{{1, 1, 0}, {0, 1, 0}, {0, 0, 0}})) << "not the same way back";
  EXPECT_EQ(way(0, 3), (Way{{0, 0, 0}, {3, 0, 0}})) << "round the torus";
  EXPECT_EQ(way(0, 2), (Way{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}})) << "both are as long";
  EXPECT_EQ(way(16 * 4, 0), (Way{{0, 0, 4}, {0, 0, 5}, {0, 0, 0}}));
  for (int from = 0; from < 96; from += 5)
    for (int to = 0; to < 96; ++to) {
      EXPECT_EQ(torus.distance(from, to), torus.distance(to, from));
      if (from != to) {
        const auto places = way(from, to);
        EXPECT_EQ(places.front(), torus.coordinates[static_cast<std::size_t>(from)]);
        EXPECT_EQ(places.back(), torus.coordinates[static_cast<std::size_t>(to)]);
      }
    }
}

TEST(Torus, MessagesMeetOnLinksBetweenOtherHosts) {
  for (const PortUse ports : {PortUse::shared, PortUse::in_turn, PortUse::multiport}) {
    const Network ring = of_torus(full_torus({8}), ports);
    const auto seconds = [&](const std::vector<std::pair<Rank, Rank>>& pairs) {
      return of_pairs(pairs, ring).seconds;
    };
    const double alone = first_s + 2 * farther_s + block_s;
    EXPECT_NEAR(seconds({{0, 3}}), alone, 1e-12);
    EXPECT_NEAR(seconds({{0, 3}, {1, 4}}), alone + block_s, 1e-12) << "from 1 to 2 and on to 3";
    EXPECT_NEAR(seconds({{0, 3}, {4, 1}}), alone, 1e-12) << "the other way";
    EXPECT_NEAR(seconds({{0, 2}, {2, 5}}), alone, 1e-12) << "one behind the other";
    const Price both = of_pairs({{0, 3}, {1, 4}}, ring);
    ASSERT_FALSE(both.places.empty());
    EXPECT_EQ(both.busy_way.name, "link from 1 to 2 of the torus");
    EXPECT_NEAR(both.busy_way.seconds, 2 * block_s, 1e-12);
  }
}

TEST(Torus, ItsLinksMayBeWiderThanPorts) {
  Network ring = of_torus(full_torus({8}));
  ring.torus->seconds_per_byte = byte_s / 2;
  EXPECT_NEAR(of_pairs({{0, 3}, {1, 4}}, ring).seconds, first_s + 2 * farther_s + block_s, 1e-12);
  ring.torus->seconds_per_byte = 0;
  EXPECT_NEAR(of_pairs({{0, 3}, {1, 4}, {7, 2}}, ring).seconds, first_s + 2 * farther_s + block_s, 1e-12)
      << "they let through whatever comes";
}

TEST(Torus, WithinAHostNoLinkIsCrossed) {
  Network ring = of_torus(full_torus({6}));
  ring.hosts = hosts_of(12, 2);
  EXPECT_NEAR(of_pairs({{0, 1}}, ring).seconds, first_s + block_s, 1e-12);
  EXPECT_NEAR(of_pairs({{0, 6}, {2, 8}}, ring).seconds, first_s + 2 * farther_s + 2 * block_s, 1e-12);
}

TEST(Torus, LatenciesOfPairsCountWhereTheyAreKnown) {
  Network pair = of_torus(full_torus({2}));
  EXPECT_EQ(pair.known_ranks(), 2u);
  Network ring = of_torus(full_torus({6}));
  ring.ranks = 6;
  ring.link_of.assign(36, 0);
  EXPECT_NEAR(of_pairs({{0, 3}}, ring).seconds, first_s + block_s, 1e-12);
}

// Links of pairs, which they then have, say what their ways take.
TEST(Torus, HopsStayWhereLinksAreMeasuredAgain) {
  const Network ring = of_torus(full_torus({8}));
  const Sites all{{0, 1, 2, 3, 4, 5, 6, 7}};
  const auto took = [](Rank from, Rank to, const Network& network) {
    return of_pairs({{from, to}}, network).seconds;
  };
  const double usual = took(0, 4, ring);
  const Network now = remeasured(ring, 8, block_bytes, {{0, 4, 2 * usual}, {1, 3, took(1, 3, ring)}}, all);
  EXPECT_NEAR(took(0, 4, now), 2 * usual, 1e-12);
  EXPECT_NEAR(took(4, 0, now), 2 * usual, 1e-12);
  for (Rank to = 2; to < 8; ++to) EXPECT_NEAR(took(1, to, now), took(1, to, ring), 1e-12) << to;
  EXPECT_EQ(now.torus, ring.torus);
  EXPECT_EQ(remeasured(ring, 8, block_bytes, {{0, 4, usual}}, all), ring);
}

TEST(Torus, NoRankStandsForOthersThere) {
  Network ring = of_torus(full_torus({16, 16}));
  const Plan plan = Plan::of(Collective::allgather, "ring");
  const Shape shape = shape_of(plan, {.ranks = 256}, 0, 256 * block_bytes);
  EXPECT_EQ(find_symmetry(plan, shape, ring).move, Symmetry::Move::none);
  EXPECT_FALSE(sampled_price(plan, 256, block_bytes, ring));
  ring.torus.reset();
  EXPECT_NE(find_symmetry(plan, shape, ring).move, Symmetry::Move::none);
}

TEST(Torus, SomeOfItsHostsKeepTheirPlaces) {
  Network network = of_torus(full_torus({4, 3}));
  network.hosts = hosts_of(24, 2);
  const Network some = restricted(network, std::vector<Rank>{22, 3, 2, 23});
  ASSERT_TRUE(some.torus);
  EXPECT_EQ(some.torus->coordinates, (std::vector<std::vector<int>>{{3, 2}, {1, 0}}));
  EXPECT_EQ(some.torus->sides, network.torus->sides);
  EXPECT_FALSE(restricted(network, std::vector<Rank>{2, 3}).torus) << "no link matters within a host";
  EXPECT_FALSE(by_hosts(network).torus);
  EXPECT_EQ(by_hosts_if_equal(network).torus, network.torus);
  const Network alike = quantised(network);
  ASSERT_TRUE(alike.torus);
  EXPECT_EQ(alike.torus->coordinates, network.torus->coordinates);
  EXPECT_EQ(quantised(alike), alike);
}

TEST(Torus, NearByNumberIsAlongItsFirstSide) {
  Network network = of_torus(full_torus({4, 4, 6}));
  std::vector<Rank> shuffled;
  for (Rank i = 0; i < 96; ++i) shuffled.push_back(i * 35 % 96);
  const Network other = restricted(network, shuffled);
  const auto levels = GroupLevels::of(other, 96);
  EXPECT_EQ(levels.sides, (std::vector<int>{6, 4, 4}));
  for (std::size_t i = 0; i < 96; ++i) EXPECT_EQ(shuffled[static_cast<std::size_t>(levels.order[i])], i);
  EXPECT_TRUE(GroupLevels::of(other, 95).sides.empty());
  network.hosts = dealt_hosts(192, 96);
  EXPECT_EQ(GroupLevels::of(network, 192).sides, (std::vector<int>{6, 4, 4, 2}));
  EXPECT_EQ(GroupLevels::of(network, 192).order[1], 96);
  EXPECT_TRUE(GroupLevels::of(network, 191).sides.empty());
  EXPECT_FALSE(levels.tells_hosts_apart());
}

TEST(Torus, IsInTheNetworksFile) {
  Network network = of_torus(full_torus({4, 2}));
  EXPECT_EQ(parse_network(to_text(network), "n").value(), network);
  network.torus.reset();
  EXPECT_EQ(to_text(network).find("torus"), std::string::npos);
}

// Which hosts there are may follow from their places.
TEST(Torus, OfAFileTellsHowManyHostsThereAre) {
  const auto network = parse_network(
      R"({"$schema": "tutti-network-1", "host_names": ["a", "b"], "links": [{"alpha_s": 1e-6, "beta_s_per_byte": 1e-9}],
          "torus": {"sides": [3], "s_per_byte": 1e-9, "coordinates": [[0], [2]]}})",
      "t.json");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->known_ranks(), 2u);
  EXPECT_EQ(network->host_names.size(), 2u);
}

TEST(Torus, OfAFileHasToBeOne) {
  const auto error = [](const std::string& torus) {
    const std::string text = R"({"$schema": "tutti-network-1", "hosts": [0, 1, 2], "torus": )" + torus +
                             R"(, "links": [{"alpha_s": 1e-6, "beta_s_per_byte": 1e-9}]})";
    const auto network = parse_network(text, "t.json");
    return network ? std::string() : network.error().message;
  };
  EXPECT_EQ(error(R"({"sides": [3], "s_per_byte": 1e-9, "coordinates": [[0], [2], [1]]})"), "");
  const auto says = [&](const std::string& torus, const std::string& what) {
    EXPECT_NE(error(torus).find(what), std::string::npos) << error(torus);
    EXPECT_NE(error(torus).find("t.json"), std::string::npos) << error(torus);
  };
  says(R"({"sides": [3], "s_per_byte": 1e-9, "coordinates": [[0], [2]]})",
       "the torus has coordinates of 2 hosts, and there are 3 hosts");
  says(R"({"sides": [3], "s_per_byte": 1e-9, "coordinates": [[0], [2], [3]]})",
       "host 2 is at 3, which is no place of a torus of 3");
  says(R"({"sides": [3, 2], "s_per_byte": 1e-9, "coordinates": [[0, 0], [2, 0], [1]]})",
       "host 2 is at 1, which is no place of a torus of 3x2");
  says(R"({"sides": [3], "s_per_byte": 1e-9, "coordinates": [[0], [2], [2]]})",
       "two hosts are at 2 of the torus");
  says(R"({"sides": [], "s_per_byte": 1e-9, "coordinates": [[], [], []]})", "a torus has no sides");
  says(R"({"sides": [3], "s_per_byte": 1e-9, "coordinates": []})", "coordinates of no host");
  says(R"({"sides": [3, 1], "s_per_byte": 1e-9, "coordinates": []})", "a side of 1; leave out");
  says(R"({"sides": [65536, 65536], "s_per_byte": 1e-9, "coordinates": []})",
       "more places than there can be");
  says(R"({"sides": [3], "s_per_byte": -1, "coordinates": [[0], [1], [2]]})", "s_per_byte of the torus");
  says(R"({"sides": [3], "coordinates": [[0], [1], [2]]})", "s_per_byte");
}

}  // namespace
}  // namespace tutti
