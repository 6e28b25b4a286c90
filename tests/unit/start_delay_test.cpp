// How long a program waits before plans are tried in its calls.

#include <gtest/gtest.h>

#include "choose/online/start_delay.hpp"

namespace tutti {
namespace {

TEST(StartDelay, AHundredthOfTheRunPaysForTheBeginning) {
  StartDelay delay(0);
  for (int calls = 1; calls <= 100; ++calls) EXPECT_TRUE(delay.is_told() || calls > 1);
  EXPECT_EQ(delay.calls_to_pass({}, 0.028, 2.8), 100);
  EXPECT_EQ(delay.calls_to_pass({}, -0.001, 2.8), 0);
}

TEST(StartDelay, RanksAreToldAgainWhenAsManyCallsHavePassed) {
  StartDelay delay(0);
  ASSERT_TRUE(delay.is_told());
  delay.pass(3);
  EXPECT_FALSE(delay.is_told());
  EXPECT_FALSE(delay.is_told());
  ASSERT_TRUE(delay.is_told());
  EXPECT_FALSE(delay.is_over());
  delay.pass(0);
  EXPECT_FALSE(delay.is_told());
  EXPECT_TRUE(delay.is_over());
}

// Where the beginning is not spare a class' own small share has to pay for it.
TEST(ClassStartDelay, OnlyCallsThatTakeTimeAreLookedInto) {
  const LearningRules rules;
  EXPECT_DOUBLE_EQ(least_class_s(rules, 0.005, 0.005), 0.1);
  EXPECT_DOUBLE_EQ(least_class_s(rules, 0.005, 0.004), 0.5);
  EXPECT_EQ(least_class_s({.cost_share = 1}, 0.005, 0), 0);
}

TEST(ClassStartDelay, WhatNothingWasTriedInIsKeptAsOftenAsItPaysForAWrite) {
  EXPECT_EQ(times_kept(3, 0.02, 0.999), 1);
  EXPECT_EQ(times_kept(1e-9, 0, 0.999), 1);
  EXPECT_EQ(times_kept(0, 0.02, 0), 0);
  double kept = 0;
  int writes = 0;
  for (int i = 0; i < 1000; ++i) {
    const double times = times_kept(0.5, 0.02, i / 1000.0);
    kept += times;
    writes += times > 0;
  }
  EXPECT_EQ(writes, 250);
  EXPECT_NEAR(kept / 1000, 1, 1e-9);
}

// Before which calls of a class ranks ask each other, if each takes a second and 20 are enough.
std::vector<int> asked_before(ClassStartDelay delay, bool over) {
  std::vector<int> asked;
  const auto ask = [&] {
    asked.push_back(delay.calls());
    return delay.answer(delay.taken(), 20, delay.shortest(), 0);
  };
  while (delay.calls() < 40) {
    const int calls = delay.calls_to_pass([&] { return over; }, ask);
    if (calls == 0) break;
    if (delay.times_next()) delay.took(1);
  }
  return asked;
}

// Where ranks meet seldom many calls pass between.
TEST(ClassStartDelay, CountsCallsThatPassedBetween) {
  ClassStartDelay delay(1, 8);
  while (delay.timed() < 2) {
    delay.calls_to_pass([] { return false; }, [] { return 1; });
    if (delay.times_next()) delay.took(0.5);
  }
  const int calls = delay.calls();
  EXPECT_DOUBLE_EQ(delay.taken(), 0.5 * calls);
  delay.passed(30);
  EXPECT_DOUBLE_EQ(delay.taken(), 0.5 * (calls + 30));
}

// Calls that return at once are timed and told of while others pass.
TEST(ClassStartDelay, HearsWhatCallsTookThatPassed) {
  ClassStartDelay delay(16, 1000);
  delay.passed(4);
  EXPECT_EQ(delay.hear(4, 2.0, 0.8, 1.5), 0);
  EXPECT_DOUBLE_EQ(delay.taken(), 2);
  EXPECT_DOUBLE_EQ(delay.alone(), 0.2);
  delay.passed(4);
  EXPECT_EQ(delay.hear(4, 2.0, 1.2, 8), 8);  // as long again as eight calls took
  EXPECT_DOUBLE_EQ(delay.alone(), 0.2);
}

TEST(ClassStartDelay, AsksWhenSomeCallsWereTimed) {
  EXPECT_EQ(asked_before({16, 1000}, true), (std::vector{6, 18, 20}));
  EXPECT_EQ(asked_before({16, 1000}, false), std::vector<int>{});
}

// A program may make only a few large calls between hosts.
TEST(ClassStartDelay, LargeCallsBetweenHostsAreLookedAtFromTheFirstOn) {
  EXPECT_EQ(asked_before({16, 1 << 20}, false), (std::vector{0, 2}));
  EXPECT_EQ(asked_before({16, 1 << 20}, true), (std::vector{0, 2, 4, 12, 20}));
  EXPECT_EQ(asked_before({1, 1 << 20}, true), asked_before({16, 1000}, true));
}

// However long it is, and whatever clocks say, there is an end, and asking is rare.
TEST(ClassStartDelay, AsksSeldomAndAgain) {
  EXPECT_EQ(calls_to_wait(2, 1, 50), 100);
  EXPECT_EQ(calls_to_wait(0, 1, 50), 0);
  EXPECT_EQ(calls_to_wait(1e-9, 1, 50), 6);
  EXPECT_EQ(calls_to_wait(1e-9, 1, 1), 1);
  EXPECT_EQ(calls_to_wait(1, 0, 50), 6);
  EXPECT_EQ(calls_to_wait(1e9, 1e-9, 50), 100);
  EXPECT_EQ(calls_to_wait(1e9, 1e-9, 1), 2);
  EXPECT_EQ(calls_to_wait(1, 1, 2'000'000'000), 100'000);
  int asked = 0;
  for (int calls = 1; calls < 1'000'000; ++asked) calls += calls_to_wait(1e-12, 1, calls);
  EXPECT_LT(asked, 120);
  asked = 0;
  for (int calls = 1; calls < 100'000; ++asked) calls += calls_to_wait(1e9, 1e-9, calls);
  EXPECT_LT(asked, 12);
}

}  // namespace
}  // namespace tutti
