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
  compare(race, native_arm, 1.0, 2, 0.5, 10);
  budget.estimate(race, 2, native_arm);
  EXPECT_NEAR(budget.cost(), 5, 0.3);
  compare(race, native_arm, 1.0, 2, 0.5, 10);
  budget.estimate(race, 2, native_arm);
  EXPECT_NEAR(budget.cost(), 10, 0.5);
  race.begin_anew();
  budget.begin_anew();
  budget.estimate(race, native_arm, native_arm);
  EXPECT_NEAR(budget.cost(), 10, 0.5);
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
  Budget all(100, 0.003);
  ClassBudget doubtful(rules, native_arm), presumed(rules, 1);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).unproven, 0.01);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).beside_share, 0.01);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 110).beside_share, rules.cost_s);
  EXPECT_DOUBLE_EQ(all.left(presumed, 101).beside_share, rules.cost_s);
  EXPECT_EQ(all.left(presumed, 101).unproven, std::numeric_limits<double>::infinity());
  all.met(0.004);
  EXPECT_DOUBLE_EQ(all.left(doubtful, 101).unproven, 0.006);
  EXPECT_DOUBLE_EQ(all.left_to_begin(rules, 101), 0.006);
  EXPECT_DOUBLE_EQ(all.opening(true) - all.opening(false), 0.004);
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
