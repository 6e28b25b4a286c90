// What a table says of communicators that lie between those that were tuned.

#include "choose/planner/interpolation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.hpp"
#include "choose/evidence/table_network.hpp"
#include "choose/planner/constants.hpp"
#include "choose/planner/estimates.hpp"
#include "choose/planner/search.hpp"
#include "choose/settings/variables.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/group_levels.hpp"
#include "core/network/in_groups.hpp"
#include "core/network/quantised.hpp"
#include "core/network/stand_ins.hpp"
#include "core/plan/compositions/near.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

Plan plan(std::string_view text, Collective collective = Collective::allreduce) {
  return make_plan(collective, text).value();
}

RuleSet tuned(int ranks, int hosts, const std::vector<std::pair<std::size_t, const char*>>& plans_up_to) {
  RuleSet set{Collective::allreduce, {ranks, hosts}, {}};
  std::size_t begin = 0;
  for (const auto& [end, text] : plans_up_to) {
    set.rules.push_back({begin, end, plan(text)});
    begin = end + 1;
  }
  return set;
}

Table table_of(std::vector<RuleSet> sets) {
  return {.fingerprint = {},
          .network = {.alpha = 1e-5, .beta = 1e-9},
          .rule_sets = std::move(sets),
          .measurements = {}};
}

std::string at(const Table& table, Placement placement, std::size_t size) {
  const auto between =
      Interpolation::find(table, Collective::allreduce, placement, {.ranks = placement.ranks});
  return between ? between->choose(size).plan.text() : "nothing";
}

TEST(Interpolation, WhatBothNeighboursHaveHolds) {
  const Table table = table_of({tuned(16, 4, {{1000, "recursive_doubling"}, {unlimited, "ring"}}),
                                tuned(32, 8, {{1000, "recursive_doubling"}, {unlimited, "ring"}})});
  EXPECT_EQ(at(table, {24, 6}, 8), "recursive_doubling");
  EXPECT_EQ(at(table, {24, 6}, 1000), "recursive_doubling");
  EXPECT_EQ(at(table, {24, 6}, 1001), "ring");
  const auto between = Interpolation::find(table, Collective::allreduce, {24, 6}, {.ranks = 24}).value();
  EXPECT_EQ(between.ends(), (std::vector<std::size_t>{1000, unlimited}));
  EXPECT_EQ(between.text(), "between 16 and 32 ranks");
}

TEST(Interpolation, BeyondAllThatWasTunedThereIsNothing) {
  const Table table = table_of({tuned(16, 4, {{unlimited, "ring"}}), tuned(32, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {8, 2}, 8), "nothing");
  EXPECT_EQ(at(table, {33, 9}, 8), "nothing");
  EXPECT_EQ(at(table, {24, 1}, 8), "nothing") << "one host is another machine";
  EXPECT_FALSE(Interpolation::find(table, Collective::bcast, {24, 6}, {.ranks = 24}));
}

TEST(Interpolation, WhereOneStaysNativeItDoes) {
  const Table table =
      table_of({tuned(16, 4, {{1000, "ring"}, {unlimited, "native"}}), tuned(32, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {24, 6}, 8), "ring");
  EXPECT_EQ(at(table, {24, 6}, 5000), "native");
}

// The ring of n ranks takes 2 (n - 1) messages.
TEST(Interpolation, WhereTheyDifferThePriceDecides) {
  const Table table =
      table_of({tuned(16, 4, {{unlimited, "recursive_doubling"}}), tuned(32, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {24, 6}, 8), "recursive_doubling");
  const Table far =
      table_of({tuned(512, 4, {{unlimited, "recursive_doubling"}}), tuned(2048, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(far, {600, 5}, 8), "recursive_doubling") << "the nearer one, where prices take long";
  EXPECT_EQ(at(far, {2000, 8}, 8), "ring");
}

TEST(Interpolation, OtherLayoutsAreServedLikeTheNearest) {
  const Table table = table_of({tuned(16, 2, {{unlimited, "ring"}}), tuned(16, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {16, 3}, 8), "ring");
  EXPECT_EQ(Interpolation::find(table, Collective::allreduce, {16, 3}, {.ranks = 16})->text(),
            "like 16 ranks on 2 hosts");
}

TEST(Interpolation, GridsGetExtentsThatSuit) {
  const auto like = [](const char* text, int ranks) {
    const auto found = suited(plan(text, Collective::allgather), {.ranks = ranks});
    return found ? found->text() : "nothing";
  };
  EXPECT_EQ(like("grid(4x4)[ring,native]", 24), "grid(6x4)[ring,native]");
  EXPECT_EQ(like("grid(2x8)[ring,ring]", 24), "grid(3x8)[ring,ring]");
  EXPECT_EQ(like("memory(lanes(8x2))", 24), "memory(lanes(12x2))");
  EXPECT_EQ(like("grid(4x4)[ring,ring]", 13), "nothing") << "a prime has no extents";
  EXPECT_EQ(like("ring", 13), "ring");
  EXPECT_EQ(like("grid(4x4x4)[ring,ring,ring]", 96), "grid(4x6x4)[ring,ring,ring]");
  EXPECT_EQ(like("grid(2x4x8)[ring,ring,ring]", 48), "grid(2x3x8)[ring,ring,ring]");
  EXPECT_EQ(like("grid(4x4x4)[ring,ring,ring]", 14), "nothing");
  const Hosts apart{0, 0, 1};
  EXPECT_FALSE(suited(plan("memory_reduce"), {.ranks = 3, .hosts = &apart}));
  EXPECT_EQ(like("neighbor_exchange", 13), "nothing");
}

// Native took 1 ms at all sizes and ranks, plans exactly what they were priced.
class BetweenWithModel : public testing::Test {
 protected:
  Table table =
      table_of({tuned(16, 16, {{unlimited, "recursive_doubling"}}), tuned(32, 32, {{unlimited, "native"}})});
  Hosts hosts;
  BetweenWithModel() {
    table.model = Network::uniform({1e-5, 1e-9});
    for (int rank = 0; rank < 24; ++rank) hosts.push_back(rank);
    for (const int ranks : {16, 32})
      for (const std::size_t size : {8u, 1024u, 65536u, 1048576u}) measure(ranks, size, "native", 1e-3, 0);
  }
  void measure(int ranks, std::size_t size, const char* text, double seconds, double price) {
    table.measurements.push_back({Collective::allreduce,
                                  ranks,
                                  ranks,
                                  size,
                                  text,
                                  {seconds, seconds, seconds},
                                  seconds,
                                  {1, 1, 1},
                                  1,
                                  false,
                                  false,
                                  price});
  }
  Interpolation::Choice choose(std::size_t size) const { return choose(table, size); }
  Interpolation::Choice choose(const Table& by, std::size_t size) const {
    return Interpolation::find(by, Collective::allreduce, {24, 24}, {.ranks = 24, .hosts = &hosts})
        ->choose(size);
  }
};

TEST_F(BetweenWithModel, ThePriceDecidesAgainstNative) {
  // Five rounds, or seven with the ranks that are left over: 70 us; of a megabyte 7 ms.
  EXPECT_EQ(choose(1000).plan.text(), "recursive_doubling");
  EXPECT_THAT(choose(1000).why, HasSubstr("native about 1 ms, margin 2 %"));
  EXPECT_EQ(choose(900000).plan.text(), "native");
}

TEST_F(BetweenWithModel, WhatMeasurementsSayOfPricesCorrectsThem) {
  measure(16, 1024, "recursive_doubling", 20e-4, 1e-4);  // twenty times its price
  EXPECT_EQ(choose(1000).plan.text(), "native");
}

TEST_F(BetweenWithModel, TheMarginIsWhatPlansScatterBy) {
  EXPECT_FALSE(choose(120000).plan.is_native());
  for (const double over : {0.1, 1.0, 10.0}) measure(16, 131072, "ring", over * 1e-4, 1e-4);
  EXPECT_EQ(choose(120000).plan.text(), "native") << "a gain of three does not mean much here";
  EXPECT_EQ(choose(1000).plan.text(), "recursive_doubling");
}

TEST_F(BetweenWithModel, WhereNativeIsNotKnownThereIsNoGuess) {
  EXPECT_EQ(choose(3 << 20).plan.text(), "native") << "beyond the sizes measured";
  table.measurements.clear();
  EXPECT_EQ(choose(1000).plan.text(), "native");
  EXPECT_THAT(choose(1000).why, HasSubstr("one of them stays native"));
}

// A table as a program reads it from its file.
Rules rules_of_a_program(const Table& table) {
  const auto path = std::filesystem::temp_directory_path() / ("tutti-between-" + std::to_string(getpid()));
  EXPECT_TRUE(write_file(path.string(), to_text(table)));
  Job job;
  job.fingerprint = table.fingerprint;
  Configuration configuration;
  EXPECT_EQ(find_variable("TUTTI_TABLE")->kind.read(path.string(), job, configuration), std::nullopt);
  std::filesystem::remove(path);
  return std::move(configuration.rules);
}

TEST_F(BetweenWithModel, ProgramsDecideAsTheWholeTableDoes) {
  table.fingerprint = {"MPI 1", "machine"};
  table.exact = false;
  measure(16, 65536, "recursive_doubling", 3e-4, 1e-4);
  const std::size_t telling = table.measurements.size();
  measure(16, 1024, "linear", 1e-3, 0);  // has no price
  measure(16, 1024, "native", 1e-3, 0);
  table.measurements.back().mode = Mode::nonblocking;
  const Rules rules = rules_of_a_program(table);
  EXPECT_TRUE(rules.table->measurements.empty()) << "they are not read before somebody asks";
  const Rules handed_on = rules_in(to_text(rules));
  for (const Rules* read : {&rules, &handed_on}) {
    EXPECT_EQ(read->table->known_measurements().size(), telling);
    for (const std::size_t size : {8u, 1000u, 60000u, 120000u, 900000u}) {
      EXPECT_EQ(choose(*read->table, size).plan.text(), choose(size).plan.text()) << size;
      EXPECT_EQ(choose(*read->table, size).why, choose(size).why) << size;
    }
  }
  EXPECT_EQ(choose(*rules.table, 1000).plan.text(), "recursive_doubling");
  EXPECT_THAT(choose(*rules.table, 1000).why, HasSubstr("native about 1 ms"));
  table.exact = true;
  EXPECT_TRUE(rules_of_a_program(table).table->known_measurements().empty()) << "nobody asks for them";
}

TEST_F(BetweenWithModel, NativeIsThatOfTheNearestNumberOfHosts) {
  table.measurements.clear();
  for (const auto& [on_hosts, seconds] : {std::pair(2, 1e-3), std::pair(16, 5e-3)}) {
    measure(16, 1024, "native", seconds, 0);
    table.measurements.back().hosts = on_hosts;
  }
  measure(16, 4096, "native", 6e-3, 0);
  const auto native = [this](int on_hosts, std::size_t size) {
    return Estimates(table, Collective::allreduce, {16, on_hosts}).native(size).value_or(0);
  };
  EXPECT_DOUBLE_EQ(native(2, 1024), 1e-3);
  EXPECT_DOUBLE_EQ(native(3, 1024), 1e-3);
  EXPECT_DOUBLE_EQ(native(8, 1024), 5e-3);
  EXPECT_DOUBLE_EQ(native(16, 1024), 5e-3);
  EXPECT_DOUBLE_EQ(native(2, 4096), 6e-3) << "measured nowhere nearer";
}

TEST(Interpolation, OneHostTellsOfSeveralWhereTheModelKnowsBothKindsOfLinks) {
  const auto finds = [](const Table& table, Placement placement) {
    return Interpolation::find(table, Collective::allreduce, placement, {.ranks = placement.ranks})
        .has_value();
  };
  Table one = table_of({tuned(16, 1, {{unlimited, "ring"}}), tuned(32, 1, {{unlimited, "ring"}})});
  Table several = table_of({tuned(16, 4, {{unlimited, "ring"}}), tuned(32, 8, {{unlimited, "ring"}})});
  for (Table* table : {&one, &several}) {
    table->model = Network::uniform({1e-5, 1e-9});
    const bool is_one = table == &one;
    EXPECT_EQ(finds(*table, {24, 1}), is_one);
    EXPECT_EQ(finds(*table, {24, 6}), !is_one);
    table->model->links.push_back(Link::busy({1e-6, 1e-10}));
    table->model->link_on_host = 1;
    EXPECT_TRUE(finds(*table, {24, 1}));
    EXPECT_TRUE(finds(*table, {24, 6}));
  }
}

TEST(Interpolation, WhatHasNoSizeIsNotPriced) {
  const auto rules = [](int ranks, const char* text) {
    return RuleSet{Collective::gatherv, {ranks, ranks}, {{0, unlimited, plan(text, Collective::gatherv)}}};
  };
  Table table = table_of({rules(16, "binomial"), rules(32, "native")});
  table.model = Network::uniform({1e-5, 1e-9});
  const auto chosen = [&] {
    return Interpolation::find(table, Collective::gatherv, {24, 24}, {.ranks = 24})->choose(0).plan.text();
  };
  EXPECT_EQ(chosen(), "native");
  table.rule_sets[1] = rules(32, "binomial");
  EXPECT_EQ(chosen(), "binomial");
  // Where each rank knows its own size, but ranks agree on it, it is.
  const Plan binomial = plan("binomial", Collective::gatherv), linear = plan("linear", Collective::gatherv);
  table.rule_sets[0].rules = {{0, 1023, binomial}, {1024, unlimited, linear}};
  table.rule_sets[1].rules = {{0, 1023, linear}, {1024, unlimited, binomial}};
  const auto between = Interpolation::find(table, Collective::gatherv, {24, 24}, {.ranks = 24});
  EXPECT_GT(between->ends().size(), 2u);
  EXPECT_THAT(between->choose(64).why, testing::HasSubstr("priced"));
}

// Eight groups of sixteen hosts with a rank each, whose ways let through what two hosts send.
class BetweenInGroups : public testing::Test {
 protected:
  static constexpr int tuned_ranks = 128, hosts_a_group = 16, ranks = 96;
  Network whole;

  BetweenInGroups() {
    for (const double alpha : {1e-5, 1.5e-5})
      whole.links.push_back({.time = Curve::line(alpha, 1e-9), .gap = Curve::line(2e-6, 1e-9)});
    whole.ranks = tuned_ranks;
    whole.groups.emplace_back();
    for (int group = 0; group < tuned_ranks / hosts_a_group; ++group)
      whole.groups.push_back({.within = 0, .out = 5e-10, .in = 5e-10});
    for (Rank from = 0; from < tuned_ranks; ++from) {
      whole.hosts.push_back(from);
      whole.host_names.push_back("host" + std::to_string(from));
      whole.group_of.push_back(1 + from / hosts_a_group);
      for (Rank to = 0; to < tuned_ranks; ++to)
        whole.link_of.push_back(from / hosts_a_group != to / hosts_a_group);
    }
  }

  // Tuned at fewer ranks and at all.
  static Table tuned_with(Network model) {
    Table table = table_of({tuned(64, 64, {{unlimited, "recursive_doubling"}}),
                            tuned(tuned_ranks, tuned_ranks, {{unlimited, "circulant"}})});
    table.model = std::move(model);
    return table;
  }

  static std::string choice(const Table& table, const Setting& setting, std::size_t size) {
    return Interpolation::find(table, Collective::allreduce, {ranks, ranks}, setting)
        ->choose(size)
        .plan.text();
  }
};

TEST_F(BetweenInGroups, ChoicesAreThoseOfTheWholeNetwork) {
  Table table = tuned_with(by_hosts_in_groups(whole));
  const Table of_two_links = tuned_with(by_hosts(whole));
  EXPECT_EQ(table.model->groups.size(), whole.groups.size());
  table = parse_table(to_text(table), "here").value();

  // The job's ranks are on other hosts than the first: on every group's first twelve.
  std::vector<Rank> there;
  for (Rank rank = 0; rank < tuned_ranks; ++rank)
    if (rank % hosts_a_group < 12) there.push_back(rank);
  const Network job = restricted(whole, there);
  const Network told = groups_between(*table.model, {there});
  const GroupLevels levels = GroupLevels::of(told, ranks);
  const Setting setting{.ranks = ranks, .hosts = &told.hosts, .levels = &levels, .groups = &told};
  for (const std::size_t size : {1000u, 100'000u, 1'000'000u}) {
    EventModel prices(job, {.operations_of_a_plan = planner::operations_of_a_plan_between});
    Search search({.collective = Collective::allreduce, .setting = setting, .size = size}, prices);
    std::map<std::string, double> seconds;
    for (const CostedPlan& each : search.algorithms()) seconds[each.plan.text()] = each.cost.seconds;
    const auto best = std::ranges::min_element(seconds, {}, &std::pair<const std::string, double>::second);
    EXPECT_EQ(choice(table, setting, size), best->first) << size;
    if (size > 1000) {
      EXPECT_GT(seconds.at(choice(of_two_links, setting, size)), 2 * best->second) << size;
    }
  }
}

// On scattered ranks there are twice as many plans, and not time to price them all.
TEST_F(BetweenInGroups, ThoseOnNearRanksArePricedWhereRanksLieScattered) {
  const Table table = tuned_with(by_hosts_in_groups(whole));
  std::vector<Rank> there(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) there[static_cast<std::size_t>(rank)] = rank * 37 % ranks;
  const Network job = restricted(whole, there);
  const Network told = groups_between(*table.model, {there});
  const GroupLevels levels = GroupLevels::of(told, ranks);
  const Setting setting{.ranks = ranks, .hosts = &told.hosts, .levels = &levels, .groups = &told};
  for (const std::size_t size : {100'000u, 1'000'000u}) {
    EXPECT_THAT(choice(table, setting, size), testing::StartsWith("near("));
    EventModel unused(job, {});
    Search search({.collective = Collective::allreduce, .setting = setting, .size = size}, unused);
    const auto priced_on_near_ranks = [&](const std::vector<Plan>& plans) {
      EventModel prices(job, {.operations_of_a_plan = planner::operations_of_a_plan_between,
                              .operations = planner::operations_between});
      return std::ranges::count_if(
          plans, [&](const Plan& plan) { return prices.of(plan, setting, size) && is_on_near_ranks(plan); });
    };
    EXPECT_LE(priced_on_near_ranks(search.plans()), 1) << "what little was left was spent on";
    EXPECT_GE(priced_on_near_ranks(search.plans_cheapest_first(job)), 2);
    EXPECT_EQ(search.plans_cheapest_first(job).size(), search.plans().size());
  }
}

// `tutti explain` asks for the first of the ranks that were tuned.
TEST_F(BetweenInGroups, ATableKnowsWhereItsFirstRanksAre) {
  const Table table = tuned_with(by_hosts_in_groups(whole));
  const auto first = groups_of(table, {ranks, ranks});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->group_of, Hosts(whole.group_of.begin(), whole.group_of.begin() + ranks));
  EXPECT_FALSE(groups_of(table, {ranks, ranks / 2})) << "on other hosts";
  EXPECT_FALSE(groups_of(table, {2 * tuned_ranks, 2 * tuned_ranks})) << "there are no more";
  EXPECT_FALSE(groups_of(tuned_with(by_hosts(whole)), {ranks, ranks}));
  EXPECT_EQ(network_of(table, first->hosts)->groups, whole.groups);
}

TEST(Interpolation, TheFileSaysSo) {
  Table table = table_of({tuned(16, 4, {{unlimited, "ring"}})});
  EXPECT_TRUE(parse_table(to_text(table), "here")->exact);
  table.exact = false;
  EXPECT_FALSE(parse_table(to_text(table), "here")->exact);
  EXPECT_THAT(to_text(table), HasSubstr("\"policy\": \"between\""));
}

}  // namespace
}  // namespace tutti
