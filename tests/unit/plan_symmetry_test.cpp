// Prices by symmetry: the same as those of all ranks, wherever both can be worked out.

#include "core/plan/plan_symmetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/network/price.hpp"
#include "core/plan/proven_symmetry.hpp"
#include "core/plan/sampled_price.hpp"
#include "core/schedule/verify.hpp"

namespace tutti {
namespace {

Network by_hosts(int ranks, int each, PortUse ports) {
  Network network = Network::uniform({.alpha = 1e-5, .beta = 1e-9, .gamma = 1e-10});
  network.ports = ports;
  network.ranks = ranks;
  network.links.push_back(Link::busy({.alpha = 1e-6, .beta = 1e-10}));
  for (Rank from = 0; from < ranks; ++from) {
    network.hosts.push_back(from / each);
    for (Rank to = 0; to < ranks; ++to) network.link_of.push_back(from / each == to / each);
  }
  return network;
}

// The sample that the search looks at says what all ranks say. Returns in how many cases there is
// one.
int expect_the_same(const Plan& plan, int ranks, const Network& network) {
  const Setting setting{.ranks = ranks};
  if (plan.is_native() || plan.is_computed() || plan.uses_memory() || plan.refusal(setting)) return 0;
  int found = 0;
  for (const std::size_t about : {std::size_t{8}, std::size_t{70000}}) {
    const Shape shape = shape_of(plan, setting, 0, about);
    // Equal blocks of whole elements.
    const std::size_t each = 8 * static_cast<std::size_t>(shape.blocks),
                      bytes = (about + each - 1) / each * each;
    const Symmetry symmetry = find_symmetry(plan, shape, network);
    if (symmetry.move == Symmetry::Move::none) continue;
    ++found;
    const Schedule whole = generate(plan, shape);
    const std::string what = std::string(name(plan.collective())) + " " + plan.text() + " on " +
                             std::to_string(ranks) + " ranks, " + std::to_string(symmetry.classes) +
                             " classes";
    for (Rank rank = 0; rank < ranks; ++rank)
      EXPECT_TRUE(
          Skeleton(whole.parts[static_cast<std::size_t>(rank)])
              .is_moved(Skeleton(whole.parts[static_cast<std::size_t>(symmetry.representative(rank))]),
                        [&](Rank other) { return symmetry.moved(other, rank, ranks); }))
          << what << ", rank " << rank;
    const double seconds = price(whole, bytes, network).seconds;
    EXPECT_NEAR(price(generate(plan, shape, symmetry), bytes, network).seconds, seconds, 1e-9 * seconds)
        << what;
  }
  return found;
}

TEST(PlanSymmetry, PricesAreThoseOfAllRanks) {
  int found = 0;
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective))
      for (const int ranks : {6, 8, 13, 24, 32, 90, 128}) {
        found +=
            expect_the_same(plan, ranks, Network::uniform({.alpha = 1e-5, .beta = 1e-9, .gamma = 1e-10}));
        for (const int each : {2, 3, 8})
          if (ranks % each == 0)
            found += expect_the_same(plan, ranks, by_hosts(ranks, each, PortUse::in_turn));
      }
  EXPECT_GT(found, 200);
}

TEST(PlanSymmetry, OnSharedPortsAndWithMessagesThatLeaveAtOnce) {
  int found = 0;
  for (const Collective collective : {Collective::allgather, Collective::alltoall, Collective::allreduce})
    for (const Plan& plan : known_plans(collective)) {
      Network network = by_hosts(24, 4, PortUse::shared);
      found += expect_the_same(plan, 24, network);
      network.eager = 1000;
      found += expect_the_same(plan, 24, network);
    }
  EXPECT_GT(found, 20);
}

// Hosts of two ranks, groups of eight and of sixteen, all in one.
Network in_groups(int ranks, PortUse ports) {
  Network network = by_hosts(ranks, 2, ports);
  network.groups = {{.between = 2e-9}};
  int outer = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (rank % 16 == 0) {
      outer = static_cast<int>(network.groups.size());
      network.groups.push_back({.within = 0, .out = 3e-10});
    }
    if (rank % 8 == 0) network.groups.push_back({.within = outer, .in = 5e-10});
    network.group_of.push_back(static_cast<int>(network.groups.size()) - 1);
  }
  return network;
}

TEST(PlanSymmetry, MovesWholeGroups) {
  int found = 0;
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared})
    for (const Collective collective : {Collective::allgather, Collective::alltoall, Collective::allreduce})
      for (const Plan& plan : known_plans(collective))
        found += expect_the_same(plan, 64, in_groups(64, ports));
  EXPECT_GT(found, 20);
  const Plan ring = Plan::of(Collective::allgather, "ring");
  const auto symmetry = [&](const Network& network) {
    return find_symmetry(ring, shape_of(ring, {.ranks = 64}, 0, 6400), network);
  };
  Network network = in_groups(64, PortUse::shared);
  EXPECT_EQ(symmetry(network), (Symmetry{Symmetry::Move::rotation, 16}));
  network.groups[1].out = 1e-9;
  EXPECT_EQ(symmetry(network).move, Symmetry::Move::none) << "one group is not as the others are";
}

// The same, the groups of sixteen being sites that share trunks.
Network in_sites(int ranks, PortUse ports) {
  Network network = in_groups(ranks, ports);
  network.groups.front().between = 0;
  for (Rank from = 0; from < ranks; from += 16)
    for (Rank to = 0; to < ranks; to += 16)
      if (from != to) network.trunks.push_back({from, to, 4e-9});
  return network;
}

TEST(PlanSymmetry, MovesSitesWhoseTrunksAreAlike) {
  int found = 0;
  for (const PortUse ports : {PortUse::in_turn, PortUse::shared})
    for (const Collective collective : {Collective::allgather, Collective::alltoall, Collective::allreduce})
      for (const Plan& plan : known_plans(collective))
        found += expect_the_same(plan, 64, in_sites(64, ports));
  EXPECT_GT(found, 20);
  const Plan ring = Plan::of(Collective::allgather, "ring");
  const auto symmetry = [&](const Network& network) {
    return find_symmetry(ring, shape_of(ring, {.ranks = 64}, 0, 6400), network);
  };
  const Network network = in_sites(64, PortUse::shared);
  EXPECT_EQ(symmetry(network), (Symmetry{Symmetry::Move::rotation, 16}));
  Network one_narrower = network, one_lacks = network, one_within = network;
  one_narrower.trunks.back().seconds_per_byte = 5e-9;
  one_lacks.trunks.pop_back();
  one_within.trunks.back().to = one_within.trunks.back().from + 8;
  for (const Network& other : {one_narrower, one_lacks, one_within})
    EXPECT_EQ(symmetry(other).move, Symmetry::Move::none);
}

TEST(PlanSymmetry, GridsOfSymmetricPhasesAreSymmetric) {
  const Plan plan = make_plan(Collective::allgather, "grid(8x4)[ring,ring]").value();
  const Network network = by_hosts(32, 4, PortUse::in_turn);
  EXPECT_EQ(find_symmetry(plan, shape_of(plan, {.ranks = 32}, 0, 1000), network),
            (Symmetry{Symmetry::Move::rotation, 4}));
  EXPECT_EQ(expect_the_same(plan, 32, network), 2);
  // Copies take no time, and may come in any order.
  for (const char* text :
       {"grid(8x4)[linear,linear]", "grid(8x4)[linear,bruck]", "grid(8x4)[bruck(8),linear]"}) {
    const Plan exchange = make_plan(Collective::alltoall, text).value();
    EXPECT_EQ(find_symmetry(exchange, shape_of(exchange, {.ranks = 32}, 0, 1000), network),
              (Symmetry{Symmetry::Move::rotation, 4}))
        << text;
    EXPECT_EQ(expect_the_same(exchange, 32, network), 2) << text;
  }
}

TEST(PlanSymmetry, WhatHasNoSymmetryHasNone) {
  const Network uniform = Network::uniform({.alpha = 1e-5, .beta = 1e-9});
  const auto symmetry = [](const char* text, Collective collective, int ranks, const Network& network) {
    const Plan plan = make_plan(collective, text).value();
    return find_symmetry(plan, shape_of(plan, {.ranks = ranks}, 0, 1000), network).move;
  };
  EXPECT_EQ(symmetry("binomial", Collective::bcast, 16, uniform), Symmetry::Move::none);
  EXPECT_EQ(symmetry("ring", Collective::allgather, 16, uniform), Symmetry::Move::rotation);
  EXPECT_EQ(symmetry("recursive_doubling", Collective::allgather, 16, uniform), Symmetry::Move::exclusive_or);
  Network one_far = by_hosts(16, 1, PortUse::in_turn);
  for (Rank to = 0; to < 15; ++to) one_far.link_of[static_cast<std::size_t>(15 * 16 + to)] = 1;
  EXPECT_EQ(symmetry("ring", Collective::allgather, 16, one_far), Symmetry::Move::none);
  Network uneven = by_hosts(16, 4, PortUse::in_turn);
  uneven.hosts = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4};
  EXPECT_EQ(symmetry("ring", Collective::allgather, 16, uneven), Symmetry::Move::none);
}

// Of 600 pairs of ranks most are none of those that the search looks at first.
TEST(PlanSymmetry, IsNoneWhereOnePairHasAnotherLink) {
  const Plan plan = Plan::of(Collective::alltoall, "pairwise");
  const Shape shape = shape_of(plan, {.ranks = 64}, 0, 64'000);
  const Network alike = by_hosts(64, 1, PortUse::in_turn);
  ASSERT_NE(find_symmetry(plan, shape, alike).move, Symmetry::Move::none);
  std::mt19937 draw(17);
  for (int i = 0; i < 600; ++i) {
    const auto from = static_cast<std::size_t>(draw() % 64), to = static_cast<std::size_t>(draw() % 64);
    if (from % 32 == to % 32) continue;  // half a turn takes them to each other
    Network one_other = alike;
    one_other.link_of[from * 64 + to] = one_other.link_of[to * 64 + from] = 1;
    EXPECT_EQ(find_symmetry(plan, shape, one_other).move, Symmetry::Move::none) << from << " " << to;
  }
}

TEST(PlanSymmetry, RingsOfManyRanksArePriced) {
  constexpr int ranks = 16384;
  const Network network = Network::uniform({.alpha = 1e-5, .beta = 1e-9});
  const Plan plan = make_plan(Collective::allgather, "ring").value();
  const Shape shape = shape_of(plan, {.ranks = ranks}, 0, std::size_t{8} * ranks);
  const Outline needed(plan, shape, std::size_t{8} * ranks, network);
  EXPECT_LT(needed.operations(), 3u * ranks);
  const double seconds = price(needed.schedule(), std::size_t{8} * ranks, network).seconds;
  EXPECT_NEAR(seconds, (ranks - 1) * (1e-5 + 8e-9), 1e-9);
}

Network of_hosts(int ranks, int each) {
  Network network = Network::uniform({.alpha = 5e-6, .beta = 8e-11, .gamma = 1e-10});
  network.links.push_back(Link::busy({.alpha = 5e-7, .beta = 2e-11}));
  network.link_on_host = 1;
  for (Rank rank = 0; rank < ranks; ++rank) network.hosts.push_back(rank / each);
  network.ports = PortUse::shared;
  return network;
}

// Nineteen of twenty prices have to be within the error that they state.
TEST(SampledPrice, IsWithinTheErrorItStates) {
  int told = 0, beyond = 0;
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective))
      for (const int ranks : {1024, 720}) {
        const Network network = of_hosts(ranks, 4);
        const Setting setting{.ranks = ranks, .hosts = &network.hosts};
        if (plan.is_native() || plan.is_computed() || plan.uses_memory() || plan.refusal(setting)) continue;
        for (const std::size_t size : {std::size_t{200}, std::size_t{30'000}}) {
          const std::size_t bytes = total_bytes(plan.collective(), ranks, size);
          const Shape shape = shape_of(plan, setting, 0, bytes);
          const Outline outline(plan, shape, bytes, network);
          if (outline.operations() > 100'000) continue;
          const auto sampled = sampled_price(plan, ranks, size, network, outline.operations() / 4);
          if (!sampled) continue;
          ASSERT_LT(sampled->ranks.back(), ranks);
          const double seconds = price(outline.schedule(), bytes, network).seconds;
          ++told;
          beyond += std::abs(sampled->seconds / seconds - 1) > sampled->error;
          EXPECT_NEAR(std::log2(sampled->seconds / seconds), 0, 1.3)
              << name(plan.collective()) << " " << plan.text() << " of " << size << " on " << ranks;
        }
      }
  EXPECT_GE(told, 100);
  EXPECT_LE(beyond, told / 20) << "of " << told;
}

TEST(SampledPrice, IsOfPlansForAnyNumberOfRanksOnAnyNumberOfHosts) {
  const Network network = of_hosts(512, 4);
  const auto tell = [&](const std::string& plan, const Network& on) {
    return sampled_price(make_plan(Collective::allreduce, plan).value(), 512, 1000, on, 2000);
  };
  EXPECT_TRUE(tell("recursive_doubling", network));
  EXPECT_TRUE(tell("grid(node)[recursive_doubling,recursive_doubling]", network));
  EXPECT_FALSE(tell("grid(8x64)[recursive_doubling,recursive_doubling]", network));
  EXPECT_FALSE(tell("recursive_doubling", by_hosts(64, 8, PortUse::in_turn)));
}

// A proof by the ranks that stand for all finds what one by all ranks finds.
TEST(ProofBySymmetry, SaysWhatAllRanksSay) {
  int proven = 0;
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective))
      for (const int ranks : {6, 8, 12, 13, 30}) {
        const Setting setting{.ranks = ranks};
        if (plan.is_native() || plan.is_computed() || plan.uses_memory() || plan.refusal(setting)) continue;
        for (const std::size_t bytes : {std::size_t{1000}, std::size_t{100'000}}) {
          const Shape shape = shape_of(plan, setting, 0, bytes);
          const auto symmetry = proven_symmetry(plan, shape);
          if (!symmetry) continue;
          ++proven;
          for (const bool in_place : {false, true}) {
            if (in_place && !collective.aliases) continue;
            const auto found =
                verify(generate(plan, shape, *symmetry), {.in_place = in_place, .one_at_a_time = true});
            EXPECT_TRUE(found.empty()) << name(plan.collective()) << " " << plan.text() << " on " << ranks
                                       << ": " << found.front().message;
          }
        }
      }
  EXPECT_GE(proven, 60);
}

// A ring's schedule with one thing wrong on every rank alike.
Schedule ring_with(
    const Symmetry& symmetry, const Shape& shape,
    const std::function<void(Rank, std::vector<Operation>&, std::vector<BlockRange>&)>& spoil) {
  Schedule schedule = generate(make_plan(Collective::allgather, "ring").value(), shape, symmetry);
  for (Rank rank = 0; rank < static_cast<Rank>(schedule.parts.size()); ++rank) {
    const Part& part = schedule.parts[static_cast<std::size_t>(rank)];
    std::vector<Operation> operations(part.operations().begin(), part.operations().end());
    std::vector<BlockRange> ranges;
    std::vector<OperationId> after;
    for (Operation& operation : operations) {
      const auto own = part.ranges(operation);
      const auto waits = part.after(operation);
      operation.ranges_begin = static_cast<std::uint32_t>(ranges.size());
      operation.after_begin = static_cast<std::uint32_t>(after.size());
      ranges.insert(ranges.end(), own.begin(), own.end());
      after.insert(after.end(), waits.begin(), waits.end());
    }
    spoil(rank, operations, ranges);
    schedule.parts[static_cast<std::size_t>(rank)] = Part(operations, ranges, after, part.scratch_blocks());
  }
  return schedule;
}

TEST(ProofBySymmetry, FindsWhatIsWrong) {
  const Plan ring = make_plan(Collective::allgather, "ring").value();
  const Shape shape = shape_of(ring, {.ranks = 8}, 0, 8000);
  const auto symmetry = proven_symmetry(ring, shape);
  ASSERT_TRUE(symmetry);
  EXPECT_EQ(symmetry->classes, 1);
  EXPECT_TRUE(symmetry->with_blocks);
  const auto wrong = [&](auto spoil) {
    const auto by_classes = verify(ring_with(*symmetry, shape, spoil), {}, 1);
    const auto by_all = verify(ring_with({}, shape, spoil), {}, 1);
    EXPECT_EQ(by_classes.empty(), by_all.empty());
    return by_classes.empty() ? "" : by_classes.front().message;
  };
  EXPECT_EQ(wrong([](Rank, auto&, auto&) {}), "");
  // Its first send passes on a block that is not there yet.
  EXPECT_NE(wrong([](Rank rank, auto& operations, auto& ranges) {
              const auto first = std::ranges::find(operations, OperationKind::send, &Operation::kind);
              ranges[first->ranges_begin] = output((rank + 1) % 8);
            }),
            "");
  EXPECT_THAT(wrong([](Rank, auto& operations, auto&) {
                for (Operation& operation : operations)
                  if (operation.kind == OperationKind::recv) operation.tag += 100;
              }),
              testing::HasSubstr("nobody sends this message"));
}

// Pairwise exchange is a rotation, or an exclusive or on powers of two. Messages of several blocks
// hold them in another order on ranks that recursive doubling makes alike; a root is like no other
// rank.
TEST(ProofBySymmetry, IsOfPlansInWhichAllRanksDoTheSame) {
  const auto of = [](Collective collective, const char* text) {
    const Plan plan = make_plan(collective, text).value();
    return proven_symmetry(plan, shape_of(plan, {.ranks = 8}, 0, 8000)).has_value();
  };
  EXPECT_TRUE(of(Collective::allreduce, "ring"));
  EXPECT_TRUE(of(Collective::alltoall, "pairwise"));
  EXPECT_TRUE(of(Collective::reduce_scatter_block, "pairwise"));
  EXPECT_FALSE(of(Collective::allgather, "recursive_doubling"));
  EXPECT_FALSE(of(Collective::bcast, "linear"));
}

}  // namespace
}  // namespace tutti
