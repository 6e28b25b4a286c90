// What a price's time consists of: paths that are known by hand, and that those of all plans are
// without gaps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/network/path_stretches.hpp"
#include "core/network/price.hpp"
#include "core/plan/plan.hpp"

namespace tutti {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr double latency_s = 1e-5, byte_s = 1e-9;
constexpr std::size_t long_bytes = 1'000'000;

// A priced plan, and its path.
struct Priced {
  Schedule schedule;
  Price price;
  std::vector<Price::Step> steps;
  std::vector<PathStretch> stretches;
  std::vector<PathShare> shares;
};

Priced priced(const Plan& plan, const Setting& setting, Rank root, std::size_t bytes,
              const Network& network) {
  Priced all{generate(plan, shape_of(plan, setting, root, bytes)), {}, {}, {}, {}};
  all.price = price(all.schedule, bytes, network, limit_of(network), &all.steps);
  const GroupLevels levels = GroupLevels::of(network, setting.ranks);
  all.stretches = stretches_of(all.price, all.schedule, network, levels);
  all.shares = shares_of(all.price, all.schedule, network, levels);
  return all;
}

Priced priced(Collective collective, const char* plan, int ranks, std::size_t bytes, const Network& network) {
  return priced(make_plan(collective, plan).value(), {.ranks = ranks}, 0, bytes, network);
}

Network swift_network(PortUse ports) {
  return {.links = {Link::swift({.alpha = latency_s, .beta = byte_s})}, .ports = ports};
}

// Two groups of four ranks, whose ways out take ten times as long a byte as links.
Network two_groups(PortUse ports) {
  Network network = swift_network(ports);
  network.groups = {{.name = "all"},
                    {.name = "left", .within = 0, .out = 10 * byte_s},
                    {.name = "right", .within = 0, .out = 10 * byte_s}};
  network.group_of = {1, 1, 1, 1, 2, 2, 2, 2};
  return network;
}

std::string place(const Priced& priced, const Price::PathStep& step) {
  return step.held_at == Price::PathStep::nowhere
             ? ""
             : priced.price.places[static_cast<std::size_t>(step.held_at)];
}

TEST(CriticalPath, OfAChainIsTheChain) {
  constexpr double hop = latency_s + long_bytes * byte_s;
  const Priced all = priced(Collective::bcast, "chain(1000000)", 4, long_bytes,
                            Network::uniform({.alpha = latency_s, .beta = byte_s}));
  ASSERT_EQ(all.price.critical_path.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const Price::PathStep& step = all.price.critical_path[static_cast<std::size_t>(i)];
    EXPECT_EQ(step.what.rank, i);
    EXPECT_DOUBLE_EQ(step.start, i * hop);
    EXPECT_DOUBLE_EQ(step.end, (i + 1) * hop);
    EXPECT_EQ(step.bytes, long_bytes);
    EXPECT_EQ(place(all, step), "");
  }
  ASSERT_EQ(all.stretches.size(), 1u);
  EXPECT_EQ(all.stretches[0].level, "between hosts");
  EXPECT_THAT(all.stretches[0].messages, ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 3)));
  EXPECT_EQ(all.stretches[0].queued, 0);
}

// Latencies pass beside each other, and the port takes one message after the other.
TEST(CriticalPath, OfALinearGatherIsTheRootsPort) {
  const Priced all = priced(Collective::gather, "linear", 8, 8 * long_bytes, swift_network(PortUse::in_turn));
  const auto& path = all.price.critical_path;
  ASSERT_EQ(path.size(), 7u);
  EXPECT_DOUBLE_EQ(path[0].end, latency_s + long_bytes * byte_s);
  EXPECT_EQ(place(all, path[0]), "");
  for (std::size_t i = 1; i < path.size(); ++i) {
    EXPECT_NEAR(path[i].end - path[i].start, long_bytes * byte_s, 1e-12);
    EXPECT_EQ(place(all, path[i]), "port into rank 0");
  }
  ASSERT_EQ(all.stretches.size(), 1u);
  EXPECT_EQ(all.stretches[0].queued, 6);
  EXPECT_TRUE(all.stretches[0].is_queued_at_one);
  ASSERT_EQ(all.shares.size(), 1u);
  EXPECT_EQ(all.shares[0].of, "messages between hosts");
  EXPECT_NEAR(all.shares[0].queued_s, 6 * long_bytes * byte_s, 1e-12);

  // Side by side there is one message, which had a seventh of the port.
  const Priced shared =
      priced(Collective::gather, "linear", 8, 8 * long_bytes, swift_network(PortUse::shared));
  ASSERT_EQ(shared.price.critical_path.size(), 1u);
  EXPECT_EQ(place(shared, shared.price.critical_path[0]), "port into rank 0");
}

TEST(CriticalPath, OfHostsThatShareAPortNamesTheHost) {
  Network network = swift_network(PortUse::in_turn);
  network.hosts = {0, 0, 1, 1};
  const Priced all = priced(Collective::scatter, "linear", 4, 4 * long_bytes, network);
  EXPECT_EQ(place(all, all.price.critical_path.back()), "port out of host 0");
  network.half_duplex = true;
  const Priced half = priced(Collective::scatter, "linear", 4, 4 * long_bytes, network);
  EXPECT_EQ(place(half, half.price.critical_path.back()), "port of host 0");
}

// Two exchanges within the groups, and four messages at once over the narrow way.
TEST(CriticalPath, OfTwoGroupsIsTheWayBetweenThem) {
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared, PortUse::multiport}) {
    const Priced all = priced(Collective::allreduce, "recursive_doubling", 8, long_bytes, two_groups(ports));
    EXPECT_NEAR(all.price.seconds, 3 * latency_s + (2 + 4 * 10) * long_bytes * byte_s, 1e-12);
    ASSERT_EQ(all.stretches.size(), 2u);
    EXPECT_EQ(all.stretches[0].level, "between hosts");
    EXPECT_EQ(all.stretches[0].messages.size(), 2u);
    EXPECT_NEAR(all.stretches[0].end, 2 * (latency_s + long_bytes * byte_s), 1e-12);
    EXPECT_EQ(all.stretches[1].level, "between groups");
    EXPECT_EQ(all.stretches[1].messages.size(), ports == PortUse::in_turn ? 4u : 1u);
    EXPECT_EQ(all.stretches[1].queued, ports == PortUse::in_turn ? 4 : 1);
    EXPECT_TRUE(all.stretches[1].is_queued_at_one);
    EXPECT_THAT(all.price.places[static_cast<std::size_t>(all.stretches[1].queued_at)],
                testing::AnyOf("out of left", "out of right"));
    ASSERT_GE(all.shares.size(), 2u);
    EXPECT_EQ(all.shares[0].of, "messages between groups");
    EXPECT_NEAR(all.shares[0].seconds, latency_s + 4 * 10 * long_bytes * byte_s, 1e-12);
  }
}

// A sender is busy with short messages, one after the other, before they are all under way.
TEST(CriticalPath, KnowsWhatHandingOverTakes) {
  Network network = swift_network(PortUse::multiport);
  network.eager = long_bytes;
  network.links.front().send = Curve::line(7 * latency_s, 0);
  const Priced all = priced(Collective::alltoall, "pairwise", 3, 9 * 1000, network);
  EXPECT_TRUE(std::ranges::any_of(all.price.critical_path, &Price::PathStep::hands_over));
  EXPECT_DOUBLE_EQ(all.price.critical_path.back().end, all.price.seconds);
}

// A catalogue's plan, or a composition with phases of the library.
std::vector<Plan> some_plans(Collective collective, int ranks) {
  std::vector<Plan> plans = known_plans(collective, ranks);
  for (const char* text : {"grid(2x3)", "grid(2x2x2)", "grid(3x4)"})
    if (auto plan = make_plan(collective, text); plan && !plan->refusal({.ranks = ranks}))
      plans.push_back(std::move(*plan));
  std::erase_if(plans, [&](const Plan& plan) {
    return plan.is_left_to_library() || plan.is_computed() || plan.refusal({.ranks = ranks});
  });
  return plans;
}

Network drawn_network(int ranks, std::minstd_rand& random) {
  const auto any = [&](unsigned below) { return static_cast<int>(random() % below); };
  constexpr PortUse kinds[]{PortUse::in_turn, PortUse::shared, PortUse::multiport};
  Network network =
      any(2) == 0 ? swift_network(kinds[any(3)]) : Network::uniform({.alpha = latency_s, .beta = byte_s});
  network.ports = kinds[any(3)];
  network.half_duplex = any(4) == 0;
  network.gamma = any(2) * byte_s / 3;
  network.links.front().both_ways = 1 + any(2) * 0.5;
  if (any(2) == 0) {
    network.eager = 1 << any(16);
    network.links.front().send = Curve::line(any(2) * latency_s / 3, byte_s / 7);
  }
  if (any(2) == 0) {
    for (Rank rank = 0; rank < ranks; ++rank) network.hosts.push_back(rank / 2);
    network.links.push_back(Link::swift({.alpha = latency_s / 9, .beta = byte_s / 4}));
    network.link_on_host = 1;
  }
  if (any(2) == 0) {
    network.groups = {{.between = any(2) * 2 * byte_s},
                      {.within = 0, .out = any(3) * byte_s, .in = any(3) * byte_s},
                      {.within = 0, .out = any(3) * byte_s, .in = any(3) * byte_s}};
    for (Rank rank = 0; rank < ranks; ++rank) network.group_of.push_back(rank / 2 * 2 < ranks / 2 ? 1 : 2);
  }
  if (any(3) == 0) {  // far ranks have slower links, each its connection's
    network.ranks = ranks;
    const auto far = static_cast<int>(network.links.size());
    network.links.push_back(Link::swift({.alpha = 20 * latency_s, .beta = 3 * byte_s}));
    for (Rank from = 0; from < ranks; ++from)
      for (Rank to = 0; to < ranks; ++to)
        network.link_of.push_back(network.host(from) == network.host(to) ? network.link_on_host
                                  : (from + to) % 3 == 0                 ? far
                                                                         : 0);
  }
  return network;
}

// It is without gaps from 0 to the price, in what was really going on.
TEST(CriticalPath, OfEveryPlanIsAsLongAsItsPrice) {
  std::minstd_rand random(20260301);
  std::size_t paths = 0, handed_over = 0, queued = 0;
  for (int draw = 0; draw < 60; ++draw) {
    const int ranks = 2 + static_cast<int>(random() % 11);
    const Network network = drawn_network(ranks, random);
    Hosts hosts;
    for (Rank rank = 0; rank < ranks; ++rank) hosts.push_back(network.host(rank));
    for (const CollectiveTraits& each : collectives) {
      if (each.on_neighbors || each.regular != each.collective) continue;
      const std::size_t bytes = total_bytes(each.collective, ranks, random() % 20'000);
      const Rank root = each.rooted ? static_cast<Rank>(random() % static_cast<unsigned>(ranks)) : 0;
      for (const Plan& plan : some_plans(each.collective, ranks)) {
        const Priced all = priced(plan, {.ranks = ranks, .hosts = &hosts}, root, bytes, network);
        SCOPED_TRACE(std::string(name(each.collective)) + " " + plan.text() + " draw " +
                     std::to_string(draw));
        const auto& path = all.price.critical_path;
        if (all.price.seconds == 0) continue;
        ASSERT_FALSE(path.empty());
        ++paths;
        std::map<std::pair<Rank, OperationId>, Price::Step> life;
        for (const Price::Step& step : all.steps) life.emplace(std::pair(step.what.rank, step.what.id), step);
        double until = 0, sum = 0;
        for (const Price::PathStep& step : path) {
          EXPECT_EQ(step.start, until) << "a gap";
          until = step.end;
          sum += step.end - step.start;
          handed_over += step.hands_over;
          queued += step.held_at != Price::PathStep::nowhere;
          if (step.hands_over) continue;
          const Price::Step& whole = life.at({step.what.rank, step.what.id});
          EXPECT_GE(step.start, whole.start);
          EXPECT_LE(step.end, whole.end * (1 + 1e-12));
        }
        EXPECT_EQ(until, all.price.seconds);
        EXPECT_NEAR(sum, all.price.seconds, 1e-12 * all.price.seconds);
        double shared = 0;
        for (const PathShare& share : all.shares) shared += share.seconds;
        EXPECT_NEAR(shared, all.price.seconds, 1e-9 * all.price.seconds);
        EXPECT_EQ(all.stretches.front().start, 0);
        EXPECT_EQ(all.stretches.back().end, all.price.seconds);
      }
    }
  }
  EXPECT_GT(paths, 1000u);
  EXPECT_GT(handed_over, 0u);
  EXPECT_GT(queued, 1000u);
}

}  // namespace
}  // namespace tutti
