// Neighbours: grids, graphs and stencils, and what is exchanged between them.

#include "core/schedule/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/plan.hpp"
#include "core/plan/prove.hpp"
#include "core/schedule/sample_topologies.hpp"
#include "core/schedule/verify.hpp"

namespace tutti {
namespace {

using Edge = Neighborhood::Edge;

Plan plan_named(Collective collective, const char* text) {
  return make_plan(collective, text).value();
}

int messages(const Topology& topology, const char* plan, Rank rank) {
  const Plan of = plan_named(Collective::neighbor_alltoall, plan);
  const Setting setting{.ranks = topology.ranks(), .topology = &topology};
  const Part part = generate(of, shape_of(of, setting, 0, 1), rank);
  return static_cast<int>(
      std::ranges::count(part.operations(), OperationKind::send, [](const Operation& o) { return o.kind; }));
}

// Irregular calls run the schedules of the regular ones, whose proofs (EveryPlan) go over all that
// there are.
TEST(Topologies, OfIrregularCallsAreProven) {
  for (const Collective collective : {Collective::neighbor_allgatherv, Collective::neighbor_alltoallv})
    for (const char* plan : {"direct", "combining"})
      for (const int ranks : {2, 9, 27, 64}) {
        const Proof proof = prove(plan_named(collective, plan), ranks, 0);
        EXPECT_EQ(proof.violation, "") << plan;
        EXPECT_GT(proof.schedules, 20U) << ranks;
      }
}

// The order of edges is what a proof goes by: in another one it fails.
TEST(Topologies, ThatAreMatchedInAnotherOrderAreNotProven) {
  const Topology ring = grid_topology({2}, {true}, EdgeOrder::crossing),
                 listed = grid_topology({2}, {true}, EdgeOrder::as_listed);
  const Plan direct = plan_named(Collective::neighbor_alltoall, "direct");
  Schedule schedule = generate(direct, shape_of(direct, {.ranks = 2, .topology = &ring}, 0, 1));
  EXPECT_TRUE(verify(schedule, {}, 1).empty());
  schedule.shape.topology = &listed;
  EXPECT_FALSE(verify(schedule, {}, 1).empty());
}

TEST(Grid, HasTwoNeighborsADimension) {
  const Topology grid = grid_topology({2, 3}, {false, true});
  EXPECT_EQ(grid[0].out, (std::vector<Edge>{{3, 1}, {2, 2}, {1, 3}}));  // nobody before it in the first
  EXPECT_EQ(grid[0].out_blocks, 4);
  EXPECT_EQ(grid.origin(0, {2, 2}), (Edge{2, 3}));  // what the one before has sent behind
}

// Each of two ranks in a circle is before and behind the other.
TEST(Grid, CrossesWhatGoesToTheSameNeighbor) {
  const Topology standard = grid_topology({2}, {true}),
                 listed = grid_topology({2}, {true}, EdgeOrder::as_listed);
  EXPECT_EQ(standard.origin(0, {1, 0}), (Edge{1, 1}));
  EXPECT_EQ(listed.origin(0, {1, 0}), (Edge{1, 0}));
  EXPECT_TRUE(standard.has_repeated_edges());
  EXPECT_FALSE(grid_topology({3}, {true}).has_repeated_edges());
}

TEST(Graph, KnowsWhetherAllEdgesGoBothWays) {
  EXPECT_TRUE(graph_topology({{{1}, {1}}, {{0}, {0}}}).is_mutual_and_connected());
  EXPECT_FALSE(graph_topology({{{1}, {}}, {{}, {0}}}).is_mutual_and_connected());
  EXPECT_FALSE(graph_topology({{{1}, {1}}, {{0}, {0}}, {{3}, {3}}, {{2}, {2}}}).is_mutual_and_connected());
}

TEST(Stencil, TakesTwoMessagesADimension) {
  const Topology cube = *stencil_topology(27, 64), square = *stencil_topology(9, 64);
  ASSERT_TRUE(cube.stencil && square.stencil);
  EXPECT_EQ(cube.stencil->dimensions, (std::vector<int>{4, 4, 4}));
  EXPECT_EQ(cube.stencil->offsets.size(), 26U);
  EXPECT_EQ(messages(cube, "direct", 5), 26);
  EXPECT_EQ(messages(cube, "combining", 5), 6);
  EXPECT_EQ(messages(square, "direct", 5), 8);
  EXPECT_EQ(messages(square, "combining", 5), 4);
}

// Nothing is gained where no neighbour is off the axes, or where the ranks' neighbours follow no
// pattern.
TEST(Stencil, IsNotFoundWhereItSavesNothing) {
  EXPECT_FALSE(stencil_topology(7, 64)->stencil);
  Topology cube = *stencil_topology(27, 64);
  std::vector<std::pair<std::vector<Rank>, std::vector<Rank>>> edges;
  for (const Neighborhood& of : cube.of) {
    auto& [out, in] = edges.emplace_back();
    for (const Edge& edge : of.out) out.push_back(edge.peer);
    for (const Edge& edge : of.in) in.push_back(edge.peer);
  }
  EXPECT_TRUE(graph_topology(edges).stencil);
  auto& out = edges[7].first;
  std::swap(out.front(), out.back());
  EXPECT_TRUE(graph_topology(edges).stencil);  // each may list them as it likes
  out.pop_back();
  EXPECT_FALSE(graph_topology(edges).stencil);
}

TEST(Topology, IsNamedByItsPattern) {
  EXPECT_EQ(grid_topology({4, 2}, {true, false}).shape, "grid of 4 round x 2");
  EXPECT_NE(grid_topology({2, 4}, {true, false}).shape, grid_topology({4, 2}, {true, false}).shape);
  EXPECT_THAT(stencil_topology(9, 16)->shape, testing::HasSubstr("(1 1) on a grid of 4 round x 4 round"));
  EXPECT_NE(stencil_topology(9, 16)->shape, stencil_topology(27, 16)->shape);
  EXPECT_EQ(graph_topology({{{1}, {2}}, {{2}, {0}}, {{0}, {1}}}).shape, "");  // a ring saves no messages
}

TEST(Stencil, IsRefusedWhereThereIsNone) {
  const Topology grid = grid_topology({4, 4}, {true, true});
  const Plan combining = plan_named(Collective::neighbor_alltoall, "combining"),
             direct = plan_named(Collective::neighbor_alltoall, "direct");
  EXPECT_TRUE(combining.refusal({.ranks = 16, .topology = &grid}));
  EXPECT_FALSE(direct.refusal({.ranks = 16, .topology = &grid}));
  EXPECT_TRUE(direct.refusal({.ranks = 16}));
  EXPECT_FALSE(make_plan(Collective::neighbor_alltoall, "grid(4x4)"));
}

}  // namespace
}  // namespace tutti
