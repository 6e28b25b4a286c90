// The proof of every algorithm in the registry: all process counts to 64 with every root, and a
// sample up to
// 1024.

#include <gtest/gtest.h>

#include <ostream>

#include "core/algorithms/patterns/team.hpp"
#include "core/network/price.hpp"
#include "core/plan/closed_form.hpp"
#include "core/plan/prove.hpp"
#include "core/plan/proven_symmetry.hpp"
#include "core/schedule/render.hpp"
#include "core/schedule/topology.hpp"
#include "core/schedule/verify.hpp"

namespace tutti {

void PrintTo(const Plan& plan, std::ostream* out) {
  *out << plan.text();
}

namespace {

std::vector<Plan> every_plan() {
  std::vector<Plan> plans;
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective))
      if (!plan.is_native() && !plan.is_computed() && !is_irregular(collective.collective))
        plans.push_back(plan);
  return plans;
}

// Irregular variants run the schedules of the regular collective. Neighbours are those of every
// grid of up to three dimensions, periodic or not, along the axes and along diagonals, with
// repeated ones and ranks themselves among them, and of graphs at random (sample_topologies).
class EveryPlan : public testing::TestWithParam<Plan> {};

TEST_P(EveryPlan, IsProvenForAllSmallProcessCountsAndRoots) {
  const Proof proof = prove_all(GetParam(), 64);
  EXPECT_EQ(proof.violation, "");
  EXPECT_GE(proof.schedules, traits(GetParam().collective()).on_neighbors ? 5000u : 32u);
}

TEST_P(EveryPlan, IsProvenForASampleOfLargeProcessCounts) {
  const bool rooted = traits(GetParam().collective()).rooted;
  if (traits(GetParam().collective()).on_neighbors) {
    // On one grid each; on all topologies above, as far as these have few ranks.
    for (const auto& [points, ranks] : {std::pair(9, 97), {27, 256}, {7, 511}, {27, 1024}}) {
      const Topology topology = stencil_topology(points, ranks).value();
      const Setting setting{.ranks = ranks, .topology = &topology};
      if (GetParam().refusal(setting)) continue;
      EXPECT_TRUE(verify(generate(GetParam(), shape_of(GetParam(), setting, 0, 4096)), {}).empty()) << ranks;
    }
    return;
  }
  for (const int ranks : {65, 96, 97, 127, 128, 129, 255, 257}) {
    const Rank roots[] = {0, ranks / 3, ranks - 1};
    ASSERT_EQ(prove(GetParam(), ranks, std::span(roots).first(rooted ? 3 : 1)).violation, "");
  }
  for (const int ranks : {511, 1023, 1024}) {
    ASSERT_EQ(prove(GetParam(), ranks, rooted ? ranks / 3 : 0).violation, "");
  }
}

TEST(Roots, AreProvenByRoot0WhereTheirSchedulesAreItsMoved) {
  constexpr int ranks = 11;
  const auto schedule = [](const Plan& plan, Rank root) {
    return generate(plan, shape_of(plan, {.ranks = ranks}, root, 1000));
  };
  int moved = 0;
  for (const Plan& plan : every_plan()) {
    if (!traits(plan.collective()).rooted || plan.refusal({.ranks = ranks})) continue;
    const Schedule of_root_0 = schedule(plan, 0);
    for (Rank root = 1; root < ranks; ++root) {
      Schedule other = schedule(plan, root);
      if (!is_that_of_root_0_moved(of_root_0, other)) continue;
      ++moved;
      // Neither that of another root is, nor one that lacks a rank's part.
      Schedule of_another = schedule(plan, root % (ranks - 1) + 1);
      of_another.shape.root = root;
      EXPECT_EQ(of_another.parts == other.parts, is_that_of_root_0_moved(of_root_0, of_another))
          << plan.text();
      other.parts[static_cast<std::size_t>(root)] = Part();
      EXPECT_FALSE(is_that_of_root_0_moved(of_root_0, other)) << plan.text();
    }
  }
  EXPECT_GT(moved, 100);
}

std::string test_name(const testing::TestParamInfo<Plan>& tested) {
  std::string text = std::string(name(tested.param.collective())) + "_" + tested.param.text();
  for (char& c : text)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return text;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EveryPlan, testing::ValuesIn(every_plan()), test_name);

// The literature's closed forms against the event-driven price of the schedule, on the same links.
// Off the powers of two they are bounds, but for the one that its source calls approximate: ranks
// that stand for two do more than it counts.
double budget(const Plan& plan) {
  return plan.text() == "recursive_halving" ? 1.2 : 1;
}

std::vector<Plan> plans_with_closed_forms() {
  auto plans = every_plan();
  std::erase_if(plans, [](const Plan& plan) {
    return !plan.algorithm()->cost || !plan.algorithm()->cost(4, plan.arguments());
  });
  return plans;
}

class ClosedForm : public testing::TestWithParam<Plan> {};

double closed_form(const Plan& plan, int ranks, double bytes, const Hockney& link) {
  const auto cost = plan.algorithm()->cost(ranks, plan.arguments());
  return cost ? cost->messages * link.alpha + bytes * (cost->volume * link.beta + cost->reduced * link.gamma)
              : -1;
}

TEST_P(ClosedForm, IsThePriceOfTheSchedule) {
  const Plan& plan = GetParam();
  int compared = 0;
  // A network on which latency counts, one on which volume does, and one on which computing does.
  for (const Hockney link : {Hockney{1, 0, 0}, Hockney{1e-3, 1, 0}, Hockney{1e-3, 1, 0.5}})
    for (const int ranks : {2, 3, 4, 6, 7, 8, 13, 16, 32, 48, 64}) {
      const std::size_t bytes = plan.collective() == Collective::barrier ? 0 : 64 * 48 * 13 * 7;
      const double closed = closed_form(plan, ranks, static_cast<double>(bytes), link);
      if (closed < 0 || plan.refusal({.ranks = ranks})) continue;
      ++compared;
      const double priced =
          price(generate(plan, shape_of(plan, {.ranks = ranks}, 0, bytes)), bytes, Network::uniform(link))
              .seconds;
      if (is_power_of_two(ranks))
        EXPECT_NEAR(priced, closed, 1e-9 * closed) << ranks << " ranks";
      else
        EXPECT_LE(priced, budget(plan) * closed * (1 + 1e-9)) << ranks << " ranks";
    }
  EXPECT_GE(compared, 15);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ClosedForm, testing::ValuesIn(plans_with_closed_forms()), test_name);

TEST(ClosedForms, AreShownAsFormulas) {
  const auto shown = [](Collective collective, const char* name) {
    return closed_form(*find_algorithm(collective, name));
  };
  EXPECT_EQ(shown(Collective::bcast, "binomial"), "⌈log₂ p⌉ α + ⌈log₂ p⌉ n β");
  EXPECT_EQ(shown(Collective::allgather, "ring"), "(p - 1) α + (p - 1)/p n β");
  EXPECT_EQ(shown(Collective::allreduce, "ring"), "(2 p - 2) α + 2 (p - 1)/p n β + (p - 1)/p n γ");
  EXPECT_EQ(shown(Collective::allgather, "recursive_doubling"),
            "⌈log₂ p⌉ α + (p - 1)/p n β on powers of two");
  for (const Algorithm& algorithm : all_algorithms()) {
    // A term log p / p is not shown.
    const bool is_odd =
        algorithm.collective == Collective::reduce_scatter_block && algorithm.name == "recursive_doubling";
    const bool has_none = !algorithm.cost || !algorithm.cost(4, complete(algorithm, {}));
    EXPECT_EQ(closed_form(algorithm).empty(), has_none || is_odd) << algorithm.name;
  }
}

TEST(Price, OfAMillionMessagesTakesAboutASecond) {
  const Plan ring = make_plan(Collective::allgather, "ring").value();
  const Schedule schedule = generate(ring, shape_of(ring, {.ranks = 1024}, 0, 1024));
  EXPECT_NEAR(price(schedule, 1024, Network::uniform({1, 1, 0})).seconds, 2 * 1023, 1e-6);
}

// Who relays blocks of others says so: the irregular variants have to tell the sizes first.
TEST(Relays, AreDeclared) {
  for (const Plan& plan : every_plan()) {
    if (plan.collective() != Collective::gather && plan.collective() != Collective::scatter &&
        plan.collective() != Collective::alltoall)
      continue;
    bool relays = false;
    for (const Part& part : generate(plan, shape_of(plan, {.ranks = 20}, 2, 2000)).parts)
      relays = relays || part.scratch_blocks() > 0;
    EXPECT_EQ(plan.algorithm()->relays, relays) << name(plan.collective()) << " " << plan.text();
  }
}

TEST(CirculantBcast, TakesTheLeastRoundsThereAre) {
  const Plan plan = make_plan(Collective::bcast, "circulant").value();
  for (const int ranks : {2, 3, 5, 8, 13, 31, 33})
    for (const std::size_t bytes : {1u, 10000u, 1000000u}) {
      const Schedule schedule = generate(plan, shape_of(plan, {.ranks = ranks}, 0, bytes));
      EXPECT_EQ(steps(schedule), schedule.shape.blocks - 1 + ceil_log2(ranks)) << ranks << " ranks";
    }
}

}  // namespace
}  // namespace tutti
