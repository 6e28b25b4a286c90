// What a table says of communicators that lie between those that were tuned.

#include "tuning/between.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  const auto between = rules_between(table, Collective::allreduce, placement, {.ranks = placement.ranks});
  if (!between) return "nothing";
  const Rule* rule = find_rule(between->rules, size);
  return rule ? rule->plan.text() : "no rule";
}

TEST(Between, WhatBothNeighboursHaveHolds) {
  const Table table = table_of({tuned(16, 4, {{1000, "recursive_doubling"}, {unlimited, "ring"}}),
                                tuned(32, 8, {{1000, "recursive_doubling"}, {unlimited, "ring"}})});
  EXPECT_EQ(at(table, {24, 6}, 8), "recursive_doubling");
  EXPECT_EQ(at(table, {24, 6}, 1000), "recursive_doubling");
  EXPECT_EQ(at(table, {24, 6}, 1001), "ring");
  const auto between = rules_between(table, Collective::allreduce, {24, 6}, {.ranks = 24}).value();
  EXPECT_EQ(between.rules.size(), 2u);
  EXPECT_EQ(between_text(between), "between 16 and 32 ranks");
}

TEST(Between, BeyondAllThatWasTunedThereIsNothing) {
  const Table table = table_of({tuned(16, 4, {{unlimited, "ring"}}), tuned(32, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {8, 2}, 8), "nothing");
  EXPECT_EQ(at(table, {33, 9}, 8), "nothing");
  EXPECT_EQ(at(table, {24, 1}, 8), "nothing") << "one host is another machine";
  EXPECT_FALSE(rules_between(table, Collective::bcast, {24, 6}, {.ranks = 24}));
}

TEST(Between, WhereOneStaysNativeItDoes) {
  const Table table =
      table_of({tuned(16, 4, {{1000, "ring"}, {unlimited, "native"}}), tuned(32, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {24, 6}, 8), "ring");
  EXPECT_EQ(at(table, {24, 6}, 5000), "native");
}

// The ring of n ranks takes 2 (n - 1) messages.
TEST(Between, WhereTheyDifferThePriceDecides) {
  const Table table =
      table_of({tuned(16, 4, {{unlimited, "recursive_doubling"}}), tuned(32, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {24, 6}, 8), "recursive_doubling");
  const Table far =
      table_of({tuned(512, 4, {{unlimited, "recursive_doubling"}}), tuned(2048, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(far, {600, 5}, 8), "recursive_doubling") << "the nearer one, where prices take long";
  EXPECT_EQ(at(far, {2000, 8}, 8), "ring");
}

TEST(Between, OtherLayoutsAreServedLikeTheNearest) {
  const Table table = table_of({tuned(16, 2, {{unlimited, "ring"}}), tuned(16, 8, {{unlimited, "ring"}})});
  EXPECT_EQ(at(table, {16, 3}, 8), "ring");
  EXPECT_EQ(between_text(rules_between(table, Collective::allreduce, {16, 3}, {.ranks = 16}).value()),
            "like 16 ranks on 2 hosts");
}

TEST(Between, GridsGetExtentsThatSuit) {
  const auto like = [](const char* text, int ranks) {
    const auto found = suited(plan(text, Collective::allgather), {.ranks = ranks});
    return found ? found->text() : "nothing";
  };
  EXPECT_EQ(like("grid(4x4)[ring,native]", 24), "grid(6x4)[ring,native]");
  EXPECT_EQ(like("grid(2x8)[ring,ring]", 24), "grid(3x8)[ring,ring]");
  EXPECT_EQ(like("memory(lanes(8x2))", 24), "memory(lanes(12x2))");
  EXPECT_EQ(like("grid(4x4)[ring,ring]", 13), "nothing") << "a prime has no extents";
  EXPECT_EQ(like("ring", 13), "ring");
  const Hosts apart{0, 0, 1};
  EXPECT_FALSE(suited(plan("memory_reduce"), {.ranks = 3, .hosts = &apart}));
  EXPECT_EQ(like("neighbor_exchange", 13), "nothing");
}

TEST(Between, TheFileSaysSo) {
  Table table = table_of({tuned(16, 4, {{unlimited, "ring"}})});
  EXPECT_TRUE(parse_table(to_text(table), "here")->exact);
  table.exact = false;
  EXPECT_FALSE(parse_table(to_text(table), "here")->exact);
  EXPECT_THAT(to_text(table), HasSubstr("\"policy\": \"between\""));
}

}  // namespace
}  // namespace tutti
