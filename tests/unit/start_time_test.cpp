// How long a program waits before plans are tried in its calls.

#include <gtest/gtest.h>

#include "choose/online/start_time.hpp"

namespace tutti {
namespace {

TEST(StartTime, AHundredthOfTheRunPaysForTheBeginning) {
  const LearningRules rules;
  EXPECT_DOUBLE_EQ(seconds_to_run(rules, 0.028), 2.8);
  EXPECT_EQ(seconds_to_run(rules, -0.001), 0);
}

// Where the beginning is not spare a class' own small share has to pay for it.
TEST(StartTime, OnlyCallsThatTakeTimeAreLookedInto) {
  const LearningRules rules;
  EXPECT_DOUBLE_EQ(least_class_s(rules, 0.005, 0.005), 0.1);
  EXPECT_DOUBLE_EQ(least_class_s(rules, 0.005, 0.004), 0.5);
  EXPECT_EQ(least_class_s({.cost_share = 1}, 0.005, 0), 0);
}

// However long it is, and whatever clocks say, there is an end, and asking is rare.
TEST(StartTime, AsksSeldomAndAgain) {
  EXPECT_EQ(calls_to_wait(2, 1, 50), 100);
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
