// What experiments have cost, and may cost yet, in a class of calls and in a process.

#include <gtest/gtest.h>

#include "choose/online/budget.hpp"
#include "made_up_machine.hpp"

namespace tutti {
namespace {

// What was spent beside one leader stays spent when another leads, and when all begins anew.
TEST(ClassBudget, CountsBesideTheLeaderOfItsTime) {
  Race race({}, 3);
  ClassBudget budget({}, native_arm);
  compare(race, native_arm, 1.0, 1, 1.5, 10);
  budget.estimate(race, native_arm, native_arm);
  EXPECT_NEAR(budget.cost(), 5, 0.3);
  EXPECT_NEAR(budget.loss(), 5, 0.3);
  compare(race, native_arm, 1.0, 2, 0.5, 10);
  budget.estimate(race, 2, native_arm);
  EXPECT_NEAR(budget.cost(), 5, 0.3);
  EXPECT_NEAR(budget.loss(), 0, 0.3) << "one has saved what another has cost";
  compare(race, native_arm, 1.0, 2, 0.5, 10);
  budget.estimate(race, 2, native_arm);
  EXPECT_NEAR(budget.cost(), 10, 0.5);
  race.begin_anew();
  budget.begin_anew();
  budget.estimate(race, native_arm, native_arm);
  EXPECT_NEAR(budget.cost(), 10, 0.5);
}

// A hundred seconds of calls of a millisecond.
TEST(ClassBudget, LeavesAShareOfTheTime) {
  const LearningRules rules;
  const BatchTime call{1e-3, 1e-3, 1e-3};
  ClassBudget budget(rules, native_arm);
  budget.set_allowance({.beside_share = 0.1});
  budget.spend(100);
  const auto worst = [&](Confidence confidence) {
    return online::caution * budget.left(call, confidence).worst;
  };
  EXPECT_DOUBLE_EQ(worst(Confidence::sure), rules.cost_share * 100 + 0.1);
  EXPECT_DOUBLE_EQ(worst(Confidence::some), rules.cost_share * 100 + 0.1);
  EXPECT_DOUBLE_EQ(worst(Confidence::none), rules.doubtful * rules.cost_share * 100 + 0.1);
  EXPECT_DOUBLE_EQ(budget.left(call, Confidence::sure).expected, budget.left(call, Confidence::sure).worst);
  EXPECT_DOUBLE_EQ(budget.left(call, Confidence::some).expected, 0.1 / 2 + rules.stake_share * 100);
  const BatchTime slow{1, 1, 1};
  EXPECT_DOUBLE_EQ(budget.left(slow, Confidence::some).expected,
                   rules.stake_calls * 1 + rules.stake_share * 100);
  // The run has less than that where nothing is ahead.
  budget.set_allowance({.beside_share = 0.1, .unproven = 0.2});
  EXPECT_DOUBLE_EQ(worst(Confidence::none), 0.2);
  EXPECT_DOUBLE_EQ(worst(Confidence::some), rules.cost_share * 100 + 0.1);
  // What was spent, or by an estimate is about to be, is not left.
  budget.charge(0.01);
  budget.reserve(0.02);
  EXPECT_DOUBLE_EQ(worst(Confidence::none), 0.2 - 0.01 - online::caution * 0.02);
  EXPECT_DOUBLE_EQ(worst(Confidence::sure), rules.cost_share * 100 + 0.1 - 0.01 - online::caution * 0.02);
  EXPECT_DOUBLE_EQ(budget.left(call, Confidence::some).expected, 0.1 / 2 + rules.stake_share * 100 - 0.01);
  EXPECT_EQ(budget.overdraft(), 0);
  budget.charge(100);
  EXPECT_DOUBLE_EQ(budget.overdraft(), 100.01 + online::caution * 0.02 - rules.cost_share * 100);
}

TEST(ClassBudget, WaitsForAsManyCallsAsEarnWhatIsMissing) {
  const LearningRules rules;
  const BatchTime call{.in_call = 1e-3, .latest = 2e-3, .period = 4e-3};
  ClassBudget budget(rules, native_arm);
  budget.set_allowance({.beside_share = 0.01, .unproven = 0.01});
  budget.spend(1);
  for (const Confidence confidence : {Confidence::none, Confidence::some, Confidence::sure}) {
    const Excess left = budget.left(call, confidence);
    EXPECT_EQ(budget.calls_until(left, call, confidence), 0);
    const auto more = [&](double worst, double expected) {
      return budget.calls_until({left.worst + worst, left.expected + expected}, call, confidence);
    };
    const double earned =
        confidence == Confidence::none ? rules.run_share * 4e-3 : rules.cost_share * 2e-3;  // by a call
    EXPECT_NEAR(more(1e-3, 0), online::caution * 1e-3 / earned, 1e-6);
    EXPECT_NEAR(more(0, 1e-3), confidence == Confidence::sure ? 0 : 1e-3 / (rules.stake_share * 2e-3), 1e-6);
  }
  EXPECT_EQ(budget.calls_until({1, 1}, {0, 0, 0}, Confidence::sure), std::numeric_limits<double>::infinity());
}

// What one class overdraws is taken off what the others have, and comes back when its time has paid
// for it.
TEST(Budget, IsOneForAllClasses) {
  const LearningRules rules;
  Budget all(0, 0.003);
  ClassBudget dear(rules, 1), other(rules, 1);
  dear.charge(0.010);
  all.count(dear, true);
  EXPECT_DOUBLE_EQ(all.left(other, 1).beside_share, rules.cost_s - dear.overdraft());
  EXPECT_DOUBLE_EQ(all.left(dear, 1).beside_share, rules.cost_s);
  dear.spend(10);
  all.count(dear, true);
  EXPECT_DOUBLE_EQ(all.left(other, 1).beside_share, rules.cost_s);
}

// The run pays where no plan is ahead, for beginnings too, but not where one serves
// already.
TEST(Budget, TheRunPaysAsLongAsNothingGains) {
  const LearningRules rules;
  Budget all(100, 0.002);
  ClassBudget doubtful(rules, native_arm), presumed(rules, 1);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).unproven, 0.01);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).beside_share, 0.01);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 110).beside_share, rules.cost_s);
  EXPECT_DOUBLE_EQ(all.left(presumed, 101).beside_share, rules.cost_s);
  EXPECT_EQ(all.left(presumed, 101).unproven, std::numeric_limits<double>::infinity());
  all.met(0.003, false);
  EXPECT_DOUBLE_EQ(all.opening(true) - all.opening(false), 0.002) << "as was expected";
  all.met(0.001, true);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).unproven, 0.006);
  EXPECT_DOUBLE_EQ(all.left_to_begin(rules, 101), 0.006);
  EXPECT_DOUBLE_EQ(all.opening(true) - all.opening(false), 0.001);
  ClassBudget lost(rules, native_arm);
  lost.charge(0.005);
  all.count(lost, false);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).unproven, 0.001);
  EXPECT_DOUBLE_EQ(all.left(lost, 101).unproven, 0.006);
  EXPECT_DOUBLE_EQ(all.left_to_begin(rules, 101), 0.006);
  all.count(lost, true);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).unproven, 0.006);
}

}  // namespace
}  // namespace tutti
