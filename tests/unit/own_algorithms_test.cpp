// Which of an MPI library's own algorithms become plans of a table.

#include "choose/offline/own_algorithms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/offline/tuner.hpp"

namespace tutti {
namespace {

const Placement placed{4, 2};
const Site with_open_mpi{.fingerprint = {}, .ranks = 4, .hosts = {}, .components = {{"tuned", 30}}};

Measurement ran(Collective collective, std::size_t size, const std::string& plan, double ratio) {
  const Interval about{ratio * 0.95, ratio, ratio * 1.05};
  return {collective, placed.ranks, placed.hosts, size, plan, about, ratio, about, 20};
}

// Native takes 1; ring gains at the larger of two sizes.
Table table_of_two_sizes(Collective collective) {
  Table table;
  for (const std::size_t size : {1024U, 65536U})
    table.measurements.push_back(ran(collective, size, "native", 1));
  table.measurements.push_back(ran(collective, 65536, "ring", 0.7));
  table.rule_sets.push_back({collective, placed,
                             rules_from(collective, {{1024, Plan::native(collective)},
                                                     {65536, make_plan(collective, "ring").value()}})});
  return table;
}

std::string plan_of_size(const Table& table, std::size_t size) {
  return table.rule_sets.front().find(size)->plan.text();
}

TEST(OwnAlgorithms, BecomePlansWhereTheySurelyGain) {
  Table table = table_of_two_sizes(Collective::allreduce);
  table.library = {ran(Collective::allreduce, 1024, "native", 1),
                   ran(Collective::allreduce, 1024, "recursive_doubling", 0.8),
                   ran(Collective::allreduce, 65536, "native", 1),
                   ran(Collective::allreduce, 65536, "segmented_ring/8192", 0.5),
                   ran(Collective::allreduce, 65536, "rabenseifner", 0.6)};
  decide_on_own_algorithms(table, with_open_mpi, false);
  EXPECT_EQ(plan_of_size(table, 1024), "native(recursive_doubling)");
  EXPECT_EQ(plan_of_size(table, 65536), "native(segmented_ring/8192)");
  EXPECT_EQ(table.measurements.size(), 6u);  // the library's choice is native's
  const auto again = parse_table(to_text(table), "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(plan_of_size(*again, 65536), "native(segmented_ring/8192)");
}

TEST(OwnAlgorithms, AreThoseOfLibrariesThatCanBeAsked) {
  for (const auto& [mpi, plan] : {std::pair("MPICH 4.0.2", "native(nb)"), std::pair("MVAPICH 2.3", "ring"),
                                  std::pair("Cray MPICH 8.1", "ring")}) {
    Table table = table_of_two_sizes(Collective::allreduce);
    table.library = {ran(Collective::allreduce, 65536, "nb", 0.5)};
    decide_on_own_algorithms(table, {.fingerprint = {mpi, "a machine"}, .ranks = 4, .hosts = {}}, false);
    EXPECT_EQ(plan_of_size(table, 65536), plan) << mpi;
  }
}

TEST(OwnAlgorithms, StayOutWhereTheyMayBeNoBetter) {
  Table table = table_of_two_sizes(Collective::allreduce);
  table.library = {ran(Collective::allreduce, 1024, "recursive_doubling", 0.96),
                   ran(Collective::allreduce, 65536, "rabenseifner", 0.68)};
  decide_on_own_algorithms(table, with_open_mpi, false);
  EXPECT_EQ(plan_of_size(table, 1024), "native");
  EXPECT_EQ(plan_of_size(table, 65536), "ring");
}

TEST(OwnAlgorithms, AreNotConcludedFromAFewRuns) {
  Table table = table_of_two_sizes(Collective::allreduce);
  table.library = {ran(Collective::allreduce, 1024, "recursive_doubling", 0.5),
                   ran(Collective::allreduce, 65536, "rabenseifner", 0.5)};
  table.library.front().repetitions = 5;
  table.library.back().repetitions = 6;
  decide_on_own_algorithms(table, with_open_mpi, false);
  EXPECT_EQ(plan_of_size(table, 1024), "native");
  EXPECT_EQ(plan_of_size(table, 65536), "native(rabenseifner)");
}

TEST(OwnAlgorithms, AreNotConcludedFromTimesThatNothingExplains) {
  for (const bool unstable : {false, true}) {
    Table table = table_of_two_sizes(Collective::allgather);
    table.library = {ran(Collective::allgather, 1024, "bruck", 0.5)};
    (unstable ? table.measurements.front().unstable : table.library.front().two_modes) = true;
    decide_on_own_algorithms(table, with_open_mpi, false);
    EXPECT_EQ(plan_of_size(table, 1024), "native");
  }
}

TEST(OwnAlgorithms, LeaveReductionsAloneWhoseOrderIsFixed) {
  for (const Collective collective : {Collective::allreduce, Collective::allgather}) {
    Table table = table_of_two_sizes(collective);
    table.library = {ran(collective, 65536, "bruck", 0.3)};
    decide_on_own_algorithms(table, with_open_mpi, true);
    EXPECT_EQ(plan_of_size(table, 65536), traits(collective).reduces ? "ring" : "native(bruck)");
  }
}

TEST(OwnAlgorithms, OfOtherPlacementsDecideNothing) {
  Table table = table_of_two_sizes(Collective::allreduce);
  table.library = {ran(Collective::allreduce, 65536, "rabenseifner", 0.3)};
  table.library.front().hosts = 1;
  decide_on_own_algorithms(table, with_open_mpi, false);
  EXPECT_EQ(plan_of_size(table, 65536), "ring");
}

// Their calls may have to go by another operation, whose algorithms are others.
TEST(OwnAlgorithms, DoNotServeIrregularOperations) {
  for (const Collective collective : {Collective::allgather, Collective::allgatherv}) {
    Table table = table_of_two_sizes(collective);
    table.library = {ran(collective, 1024, "bruck", 0.5)};
    decide_on_own_algorithms(table, with_open_mpi, false);
    EXPECT_EQ(plan_of_size(table, 1024), is_irregular(collective) ? "native" : "native(bruck)");
  }
}

TEST(OwnAlgorithms, AreOfKnownLibrariesOnly) {
  Table table = table_of_two_sizes(Collective::allreduce);
  table.library = {ran(Collective::allreduce, 1024, "smp", 0.5)};
  decide_on_own_algorithms(table, {}, false);
  EXPECT_EQ(plan_of_size(table, 1024), "native");
}

}  // namespace
}  // namespace tutti
