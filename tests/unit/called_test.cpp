// Collectives in both modes: their names, their rules, and the tags of those under way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/evidence/measurer.hpp"
#include "core/network/by_hosts.hpp"

namespace tutti {
namespace {

TEST(Called, HasTheNamesOfMpi) {
  const Called blocking{Collective::reduce_scatter_block}, nonblocking{Collective::bcast, Mode::nonblocking};
  EXPECT_EQ(blocking.name(), "reduce_scatter_block");
  EXPECT_EQ(blocking.mpi_name(), "MPI_Reduce_scatter_block");
  EXPECT_EQ(blocking.variable(), "TUTTI_REDUCE_SCATTER_BLOCK");
  EXPECT_EQ(nonblocking.name(), "ibcast");
  EXPECT_EQ(nonblocking.mpi_name(), "MPI_Ibcast");
  EXPECT_EQ(nonblocking.variable(), "TUTTI_IBCAST");
}

TEST(Called, IsFoundByItsName) {
  for_each_called([](Called called) { EXPECT_EQ(Called::named(called.name()), called) << called.name(); });
  EXPECT_FALSE(Called::named("i"));
  EXPECT_FALSE(Called::named("iibcast"));
  EXPECT_FALSE(Called::named(""));
}

TEST(Called, HasRulesOfItsOwnInTables) {
  Table table{
      .fingerprint = {"MPI", "machine"}, .network = {1e-6, 1e-9}, .rule_sets = {}, .measurements = {}};
  for (const auto& [mode, plan] :
       {std::pair(Mode::blocking, "binomial"), std::pair(Mode::nonblocking, "linear")}) {
    RuleSet set{Collective::bcast, {4, 2}, {{0, unlimited, make_plan(Collective::bcast, plan).value()}}};
    set.mode = mode;
    table.rule_sets.push_back(std::move(set));
  }
  table.measurements.push_back({.collective = Collective::bcast,
                                .ranks = 4,
                                .hosts = 2,
                                .size = 8,
                                .plan = "linear",
                                .seconds = {1, 1, 1},
                                .mean = 1,
                                .ratio_to_native = {1, 1, 1},
                                .repetitions = 1,
                                .mode = Mode::nonblocking});
  const auto again = parse_table(to_text(table), "written");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->find({Collective::bcast, Mode::nonblocking}, {4, 2})->find(8)->plan.text(), "linear");
  EXPECT_EQ(again->find(Collective::bcast, {4, 2})->find(8)->plan.text(), "binomial");
  EXPECT_EQ(again->measurements.front().mode, Mode::nonblocking);
  EXPECT_EQ(again->find({Collective::gather, Mode::nonblocking}, {4, 2}), nullptr);
}

TEST(Called, KeepsItsPointsTogether) {
  const Point small{Collective::bcast, 4, 8}, large{Collective::bcast, 4, 800},
      between{Collective::bcast, 4, 80, Mode::nonblocking};
  EXPECT_LT(small, large);
  EXPECT_TRUE((between < small && between < large) || (small < between && large < between));
}

}  // namespace
}  // namespace tutti
