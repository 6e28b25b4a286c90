#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "choose/evidence/statistics.hpp"

namespace tutti {
namespace {

TEST(Statistics, OrderStatisticsBoundTheMedian) {
  std::vector<double> samples, ascending;
  for (int i = 20; i >= 1; --i) samples.push_back(i);
  for (int i = 1; i <= 100; ++i) ascending.push_back(i);
  const Interval interval = median_interval(samples);
  EXPECT_DOUBLE_EQ(interval.middle, 10.5);
  EXPECT_DOUBLE_EQ(interval.low, 6);  // the tables' ranks for n = 20: 6 and 15
  EXPECT_DOUBLE_EQ(interval.high, 15);
  // The same tables' ranks for other numbers of samples.
  for (const auto& [n, rank] :
       {std::pair{5, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {15, 4}, {17, 5}, {100, 40}}) {
    const Interval bounds = median_interval(std::span(ascending).first(static_cast<std::size_t>(n)));
    EXPECT_DOUBLE_EQ(bounds.low, rank) << n;
    EXPECT_DOUBLE_EQ(bounds.high, n + 1 - rank) << n;
    EXPECT_DOUBLE_EQ(bounds.middle, (n + 1) / 2.0) << n;
  }
}

// The ranks follow from one distribution up to a thousand samples, and from another beyond.
TEST(Statistics, TheIntervalOfManySamplesIsNarrow) {
  const auto low_of = [](int n) {
    std::vector<double> samples;
    for (int i = n; i >= 1; --i) samples.push_back(i);
    const Interval interval = median_interval(samples);
    EXPECT_DOUBLE_EQ(interval.low + interval.high, n + 1) << n;
    return interval.low;
  };
  EXPECT_DOUBLE_EQ(low_of(2000), 956);
  EXPECT_NEAR(low_of(1001), low_of(1000), 1);
}

TEST(Statistics, FewSamplesGiveTheirRange) {
  EXPECT_DOUBLE_EQ(median_interval(std::vector<double>{3}).low, 3);
  const Interval interval = median_interval(std::vector<double>{3, 1, 2});
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.middle, 2);
  EXPECT_DOUBLE_EQ(interval.high, 3);
}

TEST(Statistics, TheIntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> distribution(0, 1);  // median 1
  int covered = 0;
  for (int bandit = 0; bandit < 2000; ++bandit) {
    std::vector<double> samples(25);
    for (double& sample : samples) sample = distribution(random);
    const Interval interval = median_interval(samples);
    covered += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(covered, 1880);  // 95 % of 2000 less two standard deviations
}

TEST(Statistics, PairsCancelDrift) {
  std::vector<double> native, plan;
  for (int i = 0; i < 30; ++i) {
    native.push_back(1 + i);  // the machine slows down thirtyfold
    plan.push_back(0.9 * (1 + i));
  }
  const Interval ratio = ratio_interval(plan, native);
  EXPECT_NEAR(ratio.middle, 0.9, 1e-12);
  EXPECT_LT(ratio.high, 1);
  EXPECT_DOUBLE_EQ(ratio_interval(native, native).high, 1);
}

// A clock may show short times as nothing.
TEST(Statistics, EqualTimesAreEqualAlsoWhereTheyAreNothing) {
  const std::vector<double> nothing(3), something{1, 2, 4};
  EXPECT_EQ(ratio_interval(nothing, nothing).low, 1);
  EXPECT_EQ(ratio_interval(nothing, nothing).high, 1);
  EXPECT_EQ(ratio_interval(nothing, something).high, 0);
  EXPECT_EQ(ratio_interval(something, nothing).low, std::numeric_limits<double>::infinity());
}

TEST(Statistics, RatiosHaveAGeometricMeanAndSizesDoublings) {
  EXPECT_DOUBLE_EQ(geometric_mean(std::vector{0.5, 8.0}), 2);
  EXPECT_EQ(geometric_mean({}), 1);
  EXPECT_DOUBLE_EQ(doublings_between(1023, 4095), 2);
  EXPECT_DOUBLE_EQ(doublings_between(4095, 1023), 2);
  EXPECT_DOUBLE_EQ(doublings_between(0, 1), 1);
}

TEST(Statistics, TwoModesAreSeenAndOneIsNot) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 1);
  for (const double scatter : {0.01, 0.1, 0.5, 1.0}) {
    std::vector<double> one, two;
    for (int i = 0; i < 200; ++i) {
      one.push_back(1e-3 * std::exp(scatter * normal(random)));
      two.push_back((i % 5 == 0 ? 1e-1 : 1e-3) * std::exp(scatter / 2 * normal(random)));
    }
    EXPECT_FALSE(have_two_modes(one)) << scatter;
    EXPECT_TRUE(have_two_modes(two)) << scatter;
  }
  std::vector<double> tail;  // heavy, but without a gap
  for (int i = 0; i < 200; ++i) tail.push_back(1 / std::pow((i + 1) / 201.0, 0.7));
  EXPECT_FALSE(have_two_modes(tail));
  EXPECT_FALSE(have_two_modes(std::vector<double>{1, 1, 1, 1, 100}));  // too few to be a mode
  EXPECT_FALSE(have_two_modes(std::vector<double>{}));
}

TEST(Statistics, TimesThatNoCurveExplainsAreFew) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  // Native broadcasts of 4 ranks on two processors, 128 bytes to 64 KB.
  EXPECT_THAT(unexplained(std::vector{1.3e-6, 156e-6, 2.7e-6, 3e-6, 1e-3, 9e-6}), ElementsAre(1u, 4u));
  EXPECT_THAT(unexplained(std::vector{1.0, 2.0, 1.5, 3.0, 8.0}), IsEmpty());
  EXPECT_THAT(unexplained(std::vector{9.0, 1.0, 2.0, 3.0}), ElementsAre(0u));
  EXPECT_THAT(unexplained(std::vector<double>{}), IsEmpty());
}

}  // namespace
}  // namespace tutti
