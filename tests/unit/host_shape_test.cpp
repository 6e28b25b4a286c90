// Which ranks lie so, what is measured on them, and one table of several shapes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/offline/host_shape.hpp"

namespace tutti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Hosts three_hosts{0, 0, 0, 1, 1, 1, 2};

TEST(HostShapes, AreAllCombinationsOfMoreThanOneRank) {
  EXPECT_THAT(shapes_of({1, 2}, {1, 8}), ElementsAre(HostShape{1, 8}, HostShape{2, 1}, HostShape{2, 8}));
  EXPECT_TRUE(shapes_of({1}, {1}).empty());
  EXPECT_EQ(shapes_of({1 << 16}, {1 << 16}).size(), 1u);  // more ranks than an int holds
  EXPECT_EQ((HostShape{2, 8}).text(), "2x8");
}

TEST(HostShapes, TakeTheFirstRanksOfTheFirstHosts) {
  EXPECT_THAT(ranks_of({3, 1}, three_hosts).value(), ElementsAre(0, 3, 6));
  EXPECT_THAT(ranks_of({2, 2}, three_hosts).value(), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(ranks_of({2, 2}, {0, 1, 1, 2, 2}).value(), ElementsAre(1, 2, 3, 4));  // host 0 has too few
  EXPECT_THAT(ranks_of({2, 2}, {0, 1, 0, 1}).value(), ElementsAre(0, 2, 1, 3));     // dealt in turn
  const auto none = ranks_of({3, 2}, three_hosts);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("7 ranks are on 3 hosts, of which 2 have as many"));
}

TEST(HostShapes, OfAPlacementAreTheFirstRanksWhereTheyLieSo) {
  EXPECT_THAT(ranks_like({4, 2}, three_hosts).value(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(ranks_like({2, 2}, three_hosts).value(), ElementsAre(0, 3));
  EXPECT_FALSE(ranks_like({8, 3}, three_hosts));
  EXPECT_FALSE(ranks_like({3, 2}, three_hosts));
  EXPECT_FALSE(ranks_like({2, 0}, three_hosts));  // of hosts that nobody knows
}

TEST(SomeRanks, AreASiteOfTheirOwn) {
  const Site all{.fingerprint = {"Some MPI 1.0", "some machine"}, .ranks = 7, .hosts = three_hosts};
  std::vector<Rank> asked;
  SomeRanks some(
      all, {3, 4, 6},
      [&](const std::vector<Rank>& ranks, const Point&, const std::vector<Plan>&, Measurer::Effort) {
        asked = ranks;
        return Measurer::Samples{.hosts = 2, .seconds = {{1e-6}}, .leaves_s = {{1e-6}}};
      });
  EXPECT_EQ(some.site().ranks, 3);
  EXPECT_EQ(some.site().hosts, (Hosts{0, 0, 1}));
  EXPECT_EQ(some.site().fingerprint, all.fingerprint);
  const auto samples = some.measure({Collective::bcast, 3, 8}, {Plan::native(Collective::bcast)}, {1, 1});
  EXPECT_THAT(asked, ElementsAre(3, 4, 6));
  EXPECT_TRUE(samples->leaves_s.empty());
}

TEST(HostShapes, OfOneNumberOfRanksStandBesideEachOtherInATable) {
  const auto tuned = [](int hosts, const char* plan) {
    Table table;
    table.rule_sets.push_back(
        {Collective::bcast, {4, hosts}, {{0, unlimited, make_plan(Collective::bcast, plan).value()}}});
    table.measurements.push_back({.collective = Collective::bcast, .ranks = 4, .hosts = hosts, .size = 8});
    return table;
  };
  Table table = tuned(2, "native");
  add(table, tuned(4, "binomial"));
  EXPECT_EQ(table.measurements.size(), 2u);
  EXPECT_EQ(table.find(Collective::bcast, {4, 2})->find(8)->plan.text(), "native");
  EXPECT_EQ(table.find(Collective::bcast, {4, 4})->find(8)->plan.text(), "binomial");
  EXPECT_EQ(table.find(Collective::bcast, {4, 3}), nullptr);
}

}  // namespace
}  // namespace tutti
