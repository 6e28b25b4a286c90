// The proof of every algorithm in the registry: all process counts to 64 with every root, and a
// sample up to
// 1024.

#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "core/algorithms/patterns/bine_tree.hpp"
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

// The greatest message that ranks send, in blocks, and how far it goes around the circle of ranks.
std::map<int, int> farthest_by_size(const Schedule& schedule) {
  std::map<int, int> farthest;
  const int ranks = schedule.shape.ranks;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Part& part = schedule.parts[static_cast<std::size_t>(rank)];
    for (const Operation& operation : part.operations()) {
      if (operation.kind != OperationKind::send) continue;
      int blocks = 0;
      for (const BlockRange& range : part.ranges(operation)) blocks += range.count;
      const int distance = (operation.peer - rank + ranks) % ranks;
      int& most = farthest[blocks];
      most = std::max(most, std::min(distance, ranks - distance));
    }
  }
  return farthest;
}

TEST(NearOrders, HaveTheLargestMessagesBetweenNeighbours) {
  using enum Collective;
  const std::pair<Collective, const char*> near[] = {{allgather, "bine"},
                                                     {allgather, "circulant(near)"},
                                                     {allgather, "bruck(largest=near)"},
                                                     {allgather, "recursive_doubling(near)"},
                                                     {reduce_scatter_block, "bine"},
                                                     {reduce_scatter_block, "circulant(near)"},
                                                     {reduce_scatter_block, "recursive_halving(near)"},
                                                     {allreduce, "bine"},
                                                     {allreduce, "circulant(near)"}};
  for (const auto& [collective, text] : near) {
    const Plan plan = make_plan(collective, text).value();
    for (const int ranks : {2, 8, 13, 64, 100}) {
      const Schedule schedule = generate(plan, shape_of(plan, {.ranks = ranks}, 0, 6400));
      // Who has no neighbour in a butterfly gets the blocks from a rank that is little farther.
      const int most = is_power_of_two(ranks) ? 1 : 5;
      EXPECT_LE(farthest_by_size(schedule).rbegin()->second, most) << plan.text() << ", " << ranks;
    }
  }
  // Two thirds of the way, all messages together: of 1 + 2 + … + 32 only 1 + 1 + 3 + 5 + 11 + 21.
  const Plan bine = make_plan(allgather, "bine").value();
  const auto farthest = farthest_by_size(generate(bine, shape_of(bine, {.ranks = 64}, 0, 64)));
  EXPECT_EQ(farthest, (std::map<int, int>{{1, 21}, {2, 11}, {4, 5}, {8, 3}, {16, 1}, {32, 1}}));
}

TEST(Butterflies, TakeAsManyRoundsOffThePowersOfTwo) {
  for (const char* text : {"bine", "recursive_doubling(near)"})
    for (int ranks = 1; ranks <= 40; ++ranks) {
      const Plan plan = make_plan(Collective::allgather, text).value();
      const Schedule schedule = generate(plan, shape_of(plan, {.ranks = ranks}, 0, 1000));
      for (const Part& part : schedule.parts) {
        const auto operations = part.operations();
        EXPECT_LE(std::ranges::count(operations, OperationKind::recv, &Operation::kind), ceil_log2(ranks))
            << text << ", " << ranks << " ranks";
      }
    }
}

TEST(BineTrees, AreAsDeepAsBinomialOnesAndHaveConsecutiveSubtrees) {
  for (int members = 1; members <= 100; ++members) {
    const std::vector<TreeEdge> all = [&] {
      std::vector<TreeEdge> found;
      for (int member = 0; member < members; ++member)
        for (const TreeEdge& edge : bine_edges(members, member))
          if (edge.parent == member) found.push_back(edge);
      return found;
    }();
    ASSERT_EQ(all.size(), static_cast<std::size_t>(members) - 1);
    for (const TreeEdge& edge : all) {
      const auto seen_by_child = bine_edges(members, edge.child);
      EXPECT_EQ(seen_by_child.front().parent, edge.parent) << members;
      EXPECT_EQ(seen_by_child.front().below.count, edge.below.count) << members;
      // The subtree lies on the circle as it is cut, the child in it.
      EXPECT_GE(edge.below.first, bine_first(members));
      EXPECT_LE(edge.below.first + edge.below.count, bine_first(members) + members);
      EXPECT_LT((edge.child - edge.below.first + 2 * members) % members, edge.below.count);
      int of_child = 1;
      for (const TreeEdge& further : all)
        if (further.parent == edge.child) of_child += further.below.count;
      EXPECT_EQ(of_child, edge.below.count) << members << " members";
      EXPECT_LE(bine_edges(members, edge.child).size(), static_cast<std::size_t>(ceil_log2(members)));
    }
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
