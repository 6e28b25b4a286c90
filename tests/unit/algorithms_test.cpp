// The proof of every algorithm in the registry: all process counts to 64 with every root, and a sample up to
// 1024.

#include <gtest/gtest.h>

#include <ostream>

#include "algorithms/patterns/team.hpp"
#include "plan/plan.hpp"
#include "schedule/render.hpp"
#include "schedule/verify.hpp"

namespace tutti {

void PrintTo(const Plan& plan, std::ostream* out) {
  *out << plan.text();
}

namespace {

std::vector<Plan> every_plan() {
  std::vector<Plan> plans;
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective))
      if (!plan.is_native()) plans.push_back(plan);
  return plans;
}

// Proves a plan for one number of ranks and root, in place and not, and for few and many blocks where their
// number depends on the bytes. If it claims to keep rank order it is proven for operations that do not
// commute, which is the harder proof.
void prove(const Plan& plan, int ranks, Rank root) {
  const bool commutative = plan.commutative_only();
  int blocks_before = 0;
  for (const std::size_t bytes : {1000, 200000}) {
    const Shape shape = shape_of(plan, ranks, root, bytes);
    if (shape.blocks == blocks_before) continue;
    blocks_before = shape.blocks;
    const Schedule schedule = generate(plan, shape);
    for (const bool in_place : {false, true})
      for (const Violation& violation : verify(schedule, {commutative, in_place}))
        ADD_FAILURE() << name(plan.collective()) << " " << plan.text() << ", " << ranks << " ranks, root "
                      << root << ", " << shape.blocks << " blocks" << (in_place ? ", in place" : "") << ": "
                      << violation.message;
  }
}

class EveryPlan : public testing::TestWithParam<Plan> {};

TEST_P(EveryPlan, IsProvenForAllSmallProcessCountsAndRoots) {
  for (int ranks = 1; ranks <= 64 && !HasFailure(); ++ranks)
    for (Rank root = 0; root < (traits(GetParam().collective()).rooted ? ranks : 1); ++root)
      prove(GetParam(), ranks, root);
}

TEST_P(EveryPlan, IsProvenForASampleOfLargeProcessCounts) {
  for (const int ranks : {65, 96, 97, 127, 128, 129, 255, 257, 384, 509, 511, 1023, 1024}) {
    if (HasFailure()) break;
    for (const Rank root : {0, ranks / 3, ranks - 1})
      if (root == 0 || traits(GetParam().collective()).rooted) prove(GetParam(), ranks, root);
  }
}

std::string test_name(const testing::TestParamInfo<Plan>& tested) {
  std::string text = std::string(name(tested.param.collective())) + "_" + tested.param.text();
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EveryPlan, testing::ValuesIn(every_plan()), test_name);

// Closed forms count rounds on one-ported ranks; so do schedules in which a rank never has two messages the
// same way under way at once, which are all but the linear ones.
std::vector<Plan> plans_with_rounds() {
  auto plans = every_plan();
  std::erase_if(plans, [](const Plan& plan) { return !plan.algorithm()->cost || plan.text() == "linear"; });
  return plans;
}

class ClosedForm : public testing::TestWithParam<Plan> {};

TEST_P(ClosedForm, CountsTheRounds) {
  const Plan& plan = GetParam();
  for (const int ranks : {2, 3, 4, 6, 8, 13, 16, 64}) {
    const auto closed = plan.algorithm()->cost(ranks, plan.arguments());
    if (!closed) continue;
    const Schedule schedule = generate(plan, shape_of(plan, ranks, 0, 1000));
    EXPECT_EQ(steps(schedule), closed->messages) << ranks << " ranks";
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ClosedForm, testing::ValuesIn(plans_with_rounds()), test_name);

TEST(CirculantBcast, TakesTheLeastRoundsThereAre) {
  const Plan plan = make_plan(Collective::bcast, "circulant").value();
  for (const int ranks : {2, 3, 5, 8, 13, 31, 33})
    for (const std::size_t bytes : {1, 10000, 1000000}) {
      const Schedule schedule = generate(plan, shape_of(plan, ranks, 0, bytes));
      EXPECT_EQ(steps(schedule), schedule.shape.blocks - 1 + ceil_log2(ranks)) << ranks << " ranks";
    }
}

}  // namespace
}  // namespace tutti
