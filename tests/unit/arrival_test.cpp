// When ranks come to calls: what patterns mean, and what a profile tells of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "choose/evidence/arrival_pattern.hpp"
#include "choose/profile/arrivals.hpp"

namespace tutti {
namespace {

using Kind = ArrivalPattern::Kind;
using ::testing::Each;
using ::testing::HasSubstr;

std::vector<double> in_order(std::vector<double> late) {
  std::ranges::sort(late);
  return late;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(ArrivalPattern, IsReadWithTheTimeOfItsLastRank) {
  EXPECT_EQ(parse_arrival_pattern("one-late:2ms").value(), (ArrivalPattern{Kind::one_late, 0.002}));
  EXPECT_EQ(parse_arrival_pattern("uniform:1s").value(), (ArrivalPattern{Kind::uniform, 1}));
  const auto error = [](const char* text) { return parse_arrival_pattern(text).error().message; };
  EXPECT_THAT(error("one-late"), HasSubstr("write one-late:2ms"));
  EXPECT_THAT(error("one-late:soon"), HasSubstr("says no time"));
  EXPECT_THAT(error("one-lat:2ms"), HasSubstr("did you mean 'one-late'"));
}

TEST(ArrivalPattern, SaysWhoIsLateByHowMuch) {
  for (const int ranks : {2, 3, 7, 16}) {
    EXPECT_THAT(lateness({}, ranks, 1), Each(0));
    const auto uniform = in_order(lateness({Kind::uniform, 3}, ranks, 1));
    for (int i = 0; i < ranks; ++i)
      EXPECT_NEAR(uniform[static_cast<std::size_t>(i)], 3.0 * i / (ranks - 1), 1e-12);
    const auto one_late = in_order(lateness({Kind::one_late, 3}, ranks, 1));
    EXPECT_EQ(one_late.back(), 3);
    EXPECT_EQ(std::ranges::count(one_late, 0), ranks - 1);
    const auto random = in_order(lateness({Kind::random, 3}, ranks, 1));
    EXPECT_TRUE(random.front() >= 0 && random.back() <= 3 && random.front() < random.back());
  }
  EXPECT_THAT(lateness({Kind::one_late, 3}, 1, 1), Each(0));
  EXPECT_NEAR(mean(lateness({Kind::skewed, 3, 0.5}, 1000, 1)), 0.5, 0.01);
}

TEST(ArrivalPattern, IsDrawnAnewForEachCallAndAlikeOnAllRanks) {
  for (const Kind kind : {Kind::uniform, Kind::one_late, Kind::random}) {
    EXPECT_EQ(lateness({kind, 3}, 9, 4), lateness({kind, 3}, 9, 4));
    std::vector<std::vector<double>> draws;
    for (int draw = 0; draw < 5; ++draw) draws.push_back(lateness({kind, 3}, 9, draw));
    EXPECT_GT(std::ranges::count_if(draws, [&](const auto& one) { return one != draws[0]; }), 0);
  }
}

// Nine ranks wait two seconds in each call for a tenth, which is in it for one.
TEST(ArrivalPattern, OfAProfileIsThatOfTheNearestCalls) {
  Profile profile;
  const auto spent = [&](std::size_t size, double seconds) {
    ProfiledCalls one;
    one.add(10, 0, 10 * seconds, seconds);
    profile.calls[{Collective::allreduce, {10, 2}, SizeClass::of(size), "", "native"}].merge(one);
  };
  for (int rank = 0; rank < 10; ++rank) spent(1000, rank == 3 ? 1 : 3);
  for (int rank = 0; rank < 10; ++rank) spent(1 << 20, 5);
  const ArrivalPattern found = arrival_in(profile, {Collective::allreduce, 10, 2000});
  EXPECT_EQ(found.kind, Kind::skewed);
  EXPECT_NEAR(found.late_s, 2, 1e-9);
  EXPECT_NEAR(found.mean_s, 0.2, 1e-9);
  EXPECT_NEAR(in_order(lateness(found, 10, 0)).at(8), 0, 0.8);
  EXPECT_EQ(arrival_in(profile, {Collective::allreduce, 10, 1 << 19}).kind, Kind::together);
  EXPECT_EQ(arrival_in(profile, {Collective::allreduce, 11, 1000}).kind, Kind::together);
  EXPECT_EQ(arrival_in(profile, {Collective::bcast, 10, 1000}).kind, Kind::together);
}

}  // namespace
}  // namespace tutti
