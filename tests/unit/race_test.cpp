// What is known of arms, and what is thought of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "choose/evidence/contrast.hpp"
#include "choose/online/forecast.hpp"
#include "choose/online/turns.hpp"
#include "made_up_machine.hpp"

namespace tutti {
namespace {

TEST(Sample, MergesToTheSameAsOneAfterTheOther) {
  std::mt19937 random(1);
  std::normal_distribution draw(3.0, 2.0);
  Sample all, first, second;
  for (int i = 0; i < 100; ++i) {
    const double value = draw(random), weight = 1 + i % 4;
    all.add(value, weight);
    (i < 30 ? first : second).add(value, weight);
  }
  first.merge(second);
  EXPECT_DOUBLE_EQ(first.mean, all.mean);
  EXPECT_NEAR(first.squares, all.squares, 1e-9 * all.squares);
  EXPECT_EQ(first.weight, all.weight);
  Sample none;
  none.merge(all);
  EXPECT_EQ(none, all);
  all.merge({});
  EXPECT_EQ(none, all);
}

// 2,000 series, asked after every one of 500 values: the interval misses the mean at any time in
// less than 5 %.
TEST(Sample, IntervalHoldsAtAllTimesTogether) {
  std::mt19937 random(7);
  int missed = 0;
  for (int series = 0; series < 2000; ++series) {
    std::normal_distribution draw(1.0, 0.3);
    Sample sample;
    bool held = true;
    for (int i = 0; i < 500 && held; ++i) {
      sample.add(draw(random));
      const Interval bounds = sample.interval(0.05);
      held = bounds.low <= 1.0 && 1.0 <= bounds.high;
    }
    missed += !held;
  }
  EXPECT_LT(missed, 100);
  EXPECT_GT(missed, 0);  // it is no wider than it has to be
}

// What was ahead of a plan that gains may itself have been seen to lose: times differ by what runs
// beside them.
TEST(Race, WhatIsAheadOfOneThatGainsMayLoseItself) {
  Race race({}, 3);
  compare(race, 0, 1.0, 1, 0.8);
  compare(race, 1, 0.8, 2, 0.7);
  EXPECT_TRUE(race.gains(2));
  compare(race, 0, 0.65, 2, 0.7);
  EXPECT_FALSE(race.gains(2));
  EXPECT_TRUE(race.gains(1));
}

// What others have seen in long batches weighs as much as a few first calls.
TEST(Race, WhatOthersHaveSeenIsOutweighedByAFewCalls) {
  Sample known;
  for (int i = 0; i < 100; ++i) known.add(contrast(0.7 + 0.01 * (i % 3), 1), 32);
  Race race({}, 2);
  race.assume({.arm = 1, .other = 0, .contrasts = known});
  EXPECT_TRUE(race.surely_less(1, 0, LearningRules{}.choice));
  for (int i = 0; i < 5; ++i) compare(race, 0, 1.0, 1, 2.0);
  EXPECT_GT(race.contrast_of(1, 0).mean, 0);
}

// Arms that were never in the race together are compared by those that were.
TEST(Race, WhatIsAheadOfOneThatGainsGains) {
  Race race({}, 5);
  compare(race, 0, 1.0, 1, 0.8);
  compare(race, 1, 0.8, 2, 0.7);
  compare(race, 2, 0.7, 3, 0.3);
  compare(race, 3, 0.3, 4, 0.5);
  EXPECT_TRUE(race.gains(1));
  EXPECT_TRUE(race.gains(2));
  EXPECT_TRUE(race.gains(3));
  EXPECT_FALSE(race.gains(4));  // it may, but is only known to lose to one that does
  EXPECT_FALSE(race.gains(0));
  // Others are told, once, also when all begins anew.
  race.begin_anew();
  const Sample told = race.take_news(2, 1);
  EXPECT_EQ(told.count, 12);
  EXPECT_NEAR(told.mean, contrast(0.7, 0.8), 0.01);
  EXPECT_EQ(race.take_news(1, 2).count, 0);
  EXPECT_EQ(race.take_news(4, 0).count, 0);
  EXPECT_NEAR(race.take_news(3, 4).mean, contrast(0.3, 0.5), 0.01);
  EXPECT_NEAR(race.take_news(1).against_native.mean, contrast(0.8, 1.0), 0.01);
}

// Arms that have made their first calls.
Race race_of(std::size_t arms) {
  Race race({}, arms);
  for (std::size_t arm = 0; arm < arms; ++arm)
    race.open(std::array{Batch{arm, 1}}, std::array{BatchTime{1, 1, 1}});
  return race;
}

TEST(Race, GivesUpWhatTakesThreeTimesAsLong) {
  constexpr double beyond_all = 2;  // as a margin: nothing is let go for losing
  for (const double ratio : {2.8, 3.2}) {
    Race race = race_of(3);
    compare(race, native_arm, 1.0, 1, ratio, 4);
    compare(race, 1, 1.0, 2, 5.0, 4);  // nobody knows how it compares with native
    race.eliminate(native_arm, beyond_all);
    EXPECT_EQ(race.arm(1).hopeless, ratio > 3) << ratio;
    EXPECT_EQ(race.arm(1).active, ratio < 3) << ratio;
    EXPECT_EQ(race.loses(1), ratio > 3) << ratio;
    EXPECT_FALSE(race.arm(2).hopeless || race.arm(native_arm).hopeless);
    race.begin_anew();
    EXPECT_EQ(race.arm(1).active, ratio < 3) << "what is hopeless stays so";
  }
}

TEST(Race, LetsGoOfWhatLosesByTheMargin) {
  for (const double margin : {0.1, 0.2}) {
    Race race = race_of(2);
    compare(race, native_arm, 1.0, 1, 1.35);  // a contrast of 0.15
    race.eliminate(native_arm, margin);
    EXPECT_EQ(race.arm(1).active, margin > 0.15) << margin;
    EXPECT_TRUE(race.arm(native_arm).active);
    EXPECT_EQ(race.best(native_arm), native_arm);
  }
}

// What serves calls, and native, are let go only where that is as sure as a choice has to be.
TEST(Race, LetsGoOfWhatServesOnlyWhereThatIsSure) {
  const LearningRules rules;
  Race seen = race_of(3);
  for (int cycles = 2; !seen.surely_less(2, 1, rules.elimination); ++cycles) {
    seen = race_of(3);
    compare(seen, 1, 1.03, 2, 1.0, cycles);
  }
  ASSERT_FALSE(seen.surely_less(2, 1, rules.choice));
  for (const std::size_t kept : {1U, 2U}) {
    Race race = seen;
    race.eliminate(kept, 0);
    EXPECT_EQ(race.arm(1).active, kept == 1);
    EXPECT_TRUE(race.arm(2).active && race.arm(native_arm).active);
  }
}

// Native's time is that of its calls without waiting.
TEST(Forecast, GoesByPricesUntilSomethingWasSeen) {
  const LearningRules rules;
  Race race(rules, 4);
  const std::vector<double> prices{10e-3, 2e-3, 9e-3, 0};
  const Forecast thought(rules, race, prices, native_arm, 10e-3);
  EXPECT_EQ(thought.confidence(), Confidence::some);
  EXPECT_TRUE(thought.is_promised(1));
  EXPECT_FALSE(thought.is_promised(2));  // a tenth less is no promise
  EXPECT_FALSE(thought.is_promised(3));
  EXPECT_FALSE(thought.is_promised(native_arm));
  // A first call may take three times its price, and no more than is tolerated of one nobody knows.
  EXPECT_EQ(thought.of_first_call(1, native_arm).expected, 0);
  EXPECT_LT(thought.of_first_call(1, native_arm).worst, thought.of_first_call(2, native_arm).worst);
  EXPECT_LE(thought.of_first_call(2, native_arm).worst, thought.of_first_call(3, native_arm).worst);
  EXPECT_DOUBLE_EQ(thought.of_first_call(3, native_arm).worst, (rules.hopeless - 1) * 10e-3);
  compare(race, native_arm, 10e-3, 1, 12e-3);
  EXPECT_EQ(thought.confidence(), Confidence::none);
  EXPECT_FALSE(thought.is_promised(1));
  EXPECT_NEAR(thought.excess(1), 2e-3, 0.2e-3);
  EXPECT_NEAR(thought.of_call(1, native_arm).worst, 2e-3, 0.2e-3);
  EXPECT_NEAR(thought.more_than(native_arm, 1), -2e-3, 0.2e-3);
}

TEST(Forecast, OnlyMuchIsASureProspect) {
  const LearningRules rules;
  const std::vector<double> unpriced(2);
  for (const double ratio : {1.3, 0.95, 0.6}) {
    Race race(rules, 2);
    compare(race, native_arm, 1e-3, 1, ratio * 1e-3, 40);
    const Forecast thought(rules, race, unpriced, ratio < 1 ? 1 : native_arm, 1e-3);
    EXPECT_EQ(thought.confidence(), ratio > 1     ? Confidence::none
                                    : ratio > 0.9 ? Confidence::some
                                                  : Confidence::sure);
  }
}

// Two arms are compared through native where they never met.
TEST(Forecast, ComparesThroughNative) {
  const LearningRules rules;
  Race race(rules, 3);
  compare(race, native_arm, 10e-3, 1, 8e-3);
  compare(race, native_arm, 10e-3, 2, 13e-3);
  const std::vector<double> unpriced(3);
  const Forecast thought(rules, race, unpriced, 1, 8e-3);
  EXPECT_NEAR(thought.more_than(2, 1), 5e-3, 0.5e-3);
  EXPECT_NEAR(thought.excess(2), 5e-3, 0.5e-3);
}

TEST(Turns, EachArmHasOneBatchInEachCycleInAnOrderOfItsOwn) {
  Turns turns(5), same(5), other(6);
  const std::vector<std::size_t> arms{0, 2, 3};
  const auto order = [](const std::vector<Batch>& batches) {
    std::vector<std::size_t> all;
    for (const Batch& batch : batches) all.push_back(batch.arm);
    return all;
  };
  const auto batches = turns.cycles(arms, 40, 4);
  ASSERT_EQ(batches.size(), 120u);
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t cycle = 0; cycle < 40; ++cycle) {
    std::vector<std::size_t> now;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(batches[3 * cycle + i].calls, 4);
      EXPECT_TRUE(batches[3 * cycle + i].measured);
      now.push_back(batches[3 * cycle + i].arm);
    }
    EXPECT_THAT(now, testing::UnorderedElementsAreArray(arms));
    orders.insert(now);
  }
  EXPECT_EQ(orders.size(), 6u);
  EXPECT_EQ(order(batches), order(same.cycles(arms, 40, 4)));
  EXPECT_NE(order(batches), order(other.cycles(arms, 40, 4)));
  EXPECT_NE(order(batches), order(turns.cycles(arms, 40, 4)));
}

TEST(Turns, TheBatchesOfAnArmInSomeCyclesFollowOneAnother) {
  Turns turns(5);
  const std::vector<std::size_t> arms{0, 2, 3};
  const auto batches = turns.cycles(arms, 10, 2, 4);
  ASSERT_EQ(batches.size(), 3u * (10 + 3));
  std::map<int, std::vector<std::size_t>> in_cycles;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const Batch& batch = batches[i];
    EXPECT_EQ(batch.calls, batch.measured ? 2 : 1);
    if (batch.measured) {
      in_cycles[batch.cycle].push_back(batch.arm);
      EXPECT_EQ(batches[i - 1].arm, batch.arm) << "what is measured is behind calls by the same arm";
    }
  }
  ASSERT_EQ(in_cycles.size(), 10u);
  for (const auto& [cycle, now] : in_cycles) EXPECT_THAT(now, testing::UnorderedElementsAreArray(arms));
}

}  // namespace
}  // namespace tutti
