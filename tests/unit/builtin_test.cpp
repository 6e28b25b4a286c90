// The built-in table against the cut-offs as the paper words them (section 4).

#include "choose/evidence/builtin.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

std::string plan(Collective collective, int ranks, std::size_t size, bool commutative = true) {
  const auto rules = builtin_rules(collective, ranks, commutative);
  const Rule* rule = find_rule(rules, size);
  return rule ? rule->plan.text() : "native";
}

TEST(Builtin, AllgatherGoesByTheTotalGathered) {
  EXPECT_EQ(plan(Collective::allgather, 64, 512 * 1024 / 64 - 1), "recursive_doubling");
  EXPECT_EQ(plan(Collective::allgather, 64, 512 * 1024 / 64), "ring");
  EXPECT_EQ(plan(Collective::allgather, 96, 853), "bruck");  // 81,888 bytes in all
  EXPECT_EQ(plan(Collective::allgather, 96, 854), "ring");   // 81,984 are 80 KB and more
  EXPECT_EQ(plan(Collective::allgatherv, 96, 853), "bruck");
}

TEST(Builtin, BcastOfFewRanksOrBytesIsATree) {
  EXPECT_EQ(plan(Collective::bcast, 7, 1 << 20), "binomial");
  EXPECT_EQ(plan(Collective::bcast, 8, 12 * 1024 - 1), "binomial");
  EXPECT_EQ(plan(Collective::bcast, 8, 12 * 1024), "scatter_allgather(recursive_doubling)");
  EXPECT_EQ(plan(Collective::bcast, 96, 12 * 1024), "scatter_allgather");
}

TEST(Builtin, AlltoallGoesByTheMessage) {
  EXPECT_EQ(plan(Collective::alltoall, 96, 256), "bruck");
  EXPECT_EQ(plan(Collective::alltoall, 96, 257), "linear");
  EXPECT_EQ(plan(Collective::alltoall, 96, 32 * 1024), "pairwise");
}

TEST(Builtin, ReduceScatterAsksWhetherTheOperationCommutes) {
  for (const Collective collective : {Collective::reduce_scatter, Collective::reduce_scatter_block}) {
    EXPECT_EQ(plan(collective, 96, 512 * 1024 - 1), "recursive_halving");
    EXPECT_EQ(plan(collective, 96, 512 * 1024), "pairwise");
    EXPECT_EQ(plan(collective, 96, 511, false), "recursive_doubling");
    EXPECT_EQ(plan(collective, 96, 512, false), "pairwise");
  }
}

TEST(Builtin, LongReductionsGoByHalves) {
  for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
    EXPECT_NE(plan(collective, 96, 2048), "rabenseifner");
    EXPECT_EQ(plan(collective, 96, 2049), "rabenseifner");
  }
}

TEST(Builtin, SaysNothingOfTheRest) {
  for (const Collective collective :
       {Collective::barrier, Collective::gatherv, Collective::scan, Collective::alltoallv})
    EXPECT_TRUE(builtin_rules(collective, 96, true).empty());
}

// All that the table says of `ranks` ranks serves them, whatever the operation.
TEST(Builtin, RefusesNoCallItSpeaksOf) {
  for (const CollectiveTraits& collective : collectives)
    for (const int ranks : {2, 7, 8, 13, 64, 96})
      for (const bool commutative : {true, false})
        for (const Rule& rule : builtin_rules(collective.collective, ranks, commutative))
          EXPECT_FALSE(rule.plan.refusal({ranks, commutative}).has_value())
              << collective.name << " " << rule.plan.text();
}

}  // namespace
}  // namespace tutti
