#include <fmt/format.h>
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <map>
#include <set>

#include "core/plan/composition_template.hpp"
#include "core/plan/grid.hpp"
#include "core/plan/prove.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

Plan plan_of(Collective collective, const std::string& text) {
  auto plan = make_plan(collective, text);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return plan.value();
}

// Right for every root, and not waiting in the MPI library unless the plan says so.
void expect_proven(const Plan& plan, int ranks, const Hosts* hosts = nullptr) {
  const Setting setting{.ranks = ranks, .hosts = hosts};
  ASSERT_FALSE(plan.refusal(setting)) << plan.text() << ", " << ranks;
  for (Rank root = 0; root < (traits(plan.collective()).rooted ? ranks : 1); ++root) {
    const Proof proof = prove(plan, ranks, root, hosts);
    ASSERT_GT(proof.schedules, 0u);
    ASSERT_EQ(proof.violation, "") << name(plan.collective()) << " " << plan.text();
  }
  if (plan.waits_in_library()) return;
  const auto bytes = 1000 * static_cast<std::size_t>(ranks);
  for (const Part& part : generate(plan, shape_of(plan, setting, 0, bytes)).parts)
    ASSERT_TRUE(part.native_phases().empty()) << name(plan.collective()) << " " << plan.text();
}

// A collective that has a realization on a grid, with phases' plans for rows and columns that
// differ.
struct OnGrid {
  Collective collective;
  std::string columns, rows;
};
const std::vector<OnGrid> on_grids{
    {Collective::barrier, "recursive_doubling", "dissemination"},
    {Collective::bcast, "circulant", "scatter_allgather"},
    {Collective::gather, "binomial", "linear"},
    {Collective::scatter, "linear", "binomial"},
    {Collective::allgather, "bruck", "recursive_doubling"},
    {Collective::reduce, "rabenseifner", "binomial"},
    {Collective::allreduce, "recursive_doubling", "rabenseifner"},
    {Collective::reduce_scatter_block, "recursive_doubling", "pairwise"},
    {Collective::alltoall, "linear", "pairwise"},
};

class Compositions : public testing::TestWithParam<OnGrid> {
 protected:
  void expect_proven_with_plans(const std::string& arrangement, std::size_t dimensions, int ranks,
                                const Hosts* hosts = nullptr) {
    const auto& [collective, columns, rows] = GetParam();
    std::string plans = columns;
    for (std::size_t i = 1; i < dimensions; ++i) plans += "," + rows;
    for (const std::string& phases : {std::string("native"), plans}) {
      expect_proven(plan_of(collective, fmt::format("grid({})[{}]", arrangement, phases)), ranks, hosts);
      if (HasFatalFailure()) return;
    }
  }
};

// The library is told in every phase that names one of its algorithms, and in no other.
TEST_P(Compositions, TellTheLibraryOfItsAlgorithms) {
  const auto& [collective, columns, rows] = GetParam();
  for (int ranks = 1; ranks <= 9; ++ranks)
    expect_proven(Plan::native(collective, "algorithm"), ranks, nullptr);
  for (const char* phases : {"native(algorithm)", "native,native(algorithm)", "native(algorithm),native"})
    expect_proven(plan_of(collective, fmt::format("grid(2x3)[{}]", phases)), 6, nullptr);
  std::map<std::string, int> told;
  const Plan plan = plan_of(collective, "grid(2x3)[native(of_columns),native(of_rows)]");
  for (const Part& part : generate(plan, shape_of(plan, {.ranks = 6}, 0, 600)).parts)
    for (const NativePhase& phase : part.native_phases()) {
      const bool is_column = phase.group.size() == 2;
      EXPECT_EQ(phase.algorithm, is_column ? "of_columns" : "of_rows");
      ++told[phase.algorithm];
    }
  EXPECT_EQ(told.size(), 2u);
}

TEST_P(Compositions, OnAllGridsOfTwoLevels) {
  for (int ranks = 1; ranks <= 30; ++ranks)
    for (int rows = 1; rows <= ranks; ++rows) {
      if (ranks % rows != 0) continue;
      for (const char* mapping : {"", ",mapping=column_major"})
        expect_proven_with_plans(fmt::format("{}x{}{}", rows, ranks / rows, mapping), 2, ranks);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Compositions, OnGridsOfThreeLevels) {
  for (const auto& [sides, ranks] :
       {std::pair{"2x2x2", 8}, {"2x3x4", 24}, {"1x5x2", 10}, {"4x1x3", 12}, {"3x3x3", 27}})
    for (const char* mapping : {"", ",mapping=column_major", ",mapping=cyclic", ",phases=apart"}) {
      expect_proven_with_plans(fmt::format("{}{}", sides, mapping), 3, ranks);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Compositions, OnRowsOfDifferentLengths) {
  for (int ranks = 1; ranks <= 23; ++ranks) {
    expect_proven_with_plans("balanced", 2, ranks);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Compositions, OnHostsInAnyOrder) {
  for (const Hosts& hosts :
       {Hosts{0, 0, 1, 1, 2, 2}, {0, 1, 2, 0, 1, 2}, {0, 1, 1, 0, 2, 0, 2}, {0, 0, 0, 0}, {0, 1, 2, 3, 4}}) {
    expect_proven_with_plans("node", 2, static_cast<int>(hosts.size()), &hosts);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Grid, Compositions, testing::ValuesIn(on_grids),
                         [](const auto& instance) { return std::string(name(instance.param.collective)); });

// Its rows have to be consecutive ranks.
TEST(Grid, Scan) {
  for (int ranks = 1; ranks <= 30; ++ranks) {
    expect_proven(plan_of(Collective::scan, "grid(balanced)[recursive_doubling,linear,binomial]"), ranks);
    for (int rows = 1; rows <= ranks; ++rows)
      if (ranks % rows == 0)
        expect_proven(plan_of(Collective::scan, fmt::format("grid({}x{})", rows, ranks / rows)), ranks);
    if (HasFatalFailure()) return;
  }
  const Hosts dealt{0, 1, 0, 1};
  const Plan plan = plan_of(Collective::scan, "grid(node)");
  EXPECT_THAT(plan.refusal({.ranks = 4, .hosts = &dealt}).value(), HasSubstr("consecutive ranks"));
}

struct Lanes {
  Collective collective;
  std::string phases;
};
class FullLanes : public testing::TestWithParam<Lanes> {};
TEST_P(FullLanes, OnAllGrids) {
  const auto& [collective, phases] = GetParam();
  for (int ranks = 1; ranks <= 24; ++ranks)
    for (int rows = 1; rows <= ranks; ++rows) {
      if (ranks % rows != 0) continue;
      for (const char* mapping : {"", ",mapping=cyclic"})
        for (const std::string& plans : {std::string("native"), phases})
          expect_proven(
              plan_of(collective, fmt::format("lanes({}x{}{})[{}]", rows, ranks / rows, mapping, plans)),
              ranks);
      if (HasFatalFailure()) return;
    }
}
INSTANTIATE_TEST_SUITE_P(
    Grid, FullLanes,
    testing::Values(Lanes{Collective::bcast, "binomial,circulant,ring"},
                    Lanes{Collective::reduce, "recursive_doubling,rabenseifner,binomial"},
                    Lanes{Collective::allreduce, "pairwise,recursive_doubling,ring"},
                    Lanes{Collective::allgather, "ring,bruck"}, Lanes{Collective::gather, "linear,binomial"},
                    Lanes{Collective::scatter, "binomial,linear"},
                    Lanes{Collective::alltoall, "bruck,pairwise"},
                    Lanes{Collective::reduce_scatter_block, "pairwise"}),
    [](const auto& instance) { return std::string(name(instance.param.collective)); });

class Aggregated : public testing::Test {
 protected:
  static void expect_proven_on(const std::string& arrangement, int ranks, const Hosts* hosts = nullptr) {
    for (const Collective collective : {Collective::alltoall, Collective::alltoallv})
      for (const char* phases : {"linear", "linear,pairwise", "pairwise,linear,pairwise"})
        expect_proven(plan_of(collective, fmt::format("aggregated({})[{}]", arrangement, phases)), ranks,
                      hosts);
    expect_proven(plan_of(Collective::alltoall, fmt::format("aggregated({})", arrangement)), ranks, hosts);
  }

  // The number of messages between the ranks of two hosts, by these.
  static std::map<std::pair<int, int>, int> messages_between(const Hosts& hosts) {
    const Plan plan = plan_of(Collective::alltoallv, "aggregated(node)[linear]");
    const int ranks = static_cast<int>(hosts.size());
    const Shape shape = shape_of(plan, {.ranks = ranks, .hosts = &hosts}, 0, 0);
    std::map<std::pair<int, int>, int> messages;
    for (Rank rank = 0; rank < ranks; ++rank) {
      const Part part = generate(plan, shape, rank);
      for (const Operation& operation : part.operations()) {
        if (operation.kind != OperationKind::send) continue;
        const std::pair between{hosts[static_cast<std::size_t>(rank)],
                                hosts[static_cast<std::size_t>(operation.peer)]};
        if (between.first != between.second) ++messages[between];
      }
    }
    return messages;
  }
};

TEST_F(Aggregated, OnAllGrids) {
  for (int ranks = 1; ranks <= 18; ++ranks) {
    for (int rows = 1; rows <= ranks; ++rows)
      if (ranks % rows == 0)
        for (const char* mapping : {"", ",mapping=cyclic"})
          expect_proven_on(fmt::format("{}x{}{}", rows, ranks / rows, mapping), ranks);
    expect_proven_on("balanced", ranks);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Aggregated, OnHostsInAnyOrder) {
  for (const Hosts& hosts : {Hosts{0, 0, 1, 1, 2, 2},
                             {0, 1, 2, 0, 1, 2},
                             {0, 1, 1, 0, 2, 0, 2},
                             {0, 0, 0, 0},
                             {0, 1, 2, 3, 4},
                             {0, 1, 1, 2, 2, 2, 3, 3, 3, 3},
                             {0, 0, 0, 0, 0, 1, 2, 3, 4, 5}}) {
    expect_proven_on("node", static_cast<int>(hosts.size()), &hosts);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Aggregated, SendsOneMessageFromHostToHost) {
  for (const Hosts& hosts : {Hosts{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, {0, 1, 2, 3, 0, 1, 1, 1, 0, 3, 3}}) {
    const auto messages = messages_between(hosts);
    EXPECT_EQ(messages.size(), static_cast<std::size_t>(count(hosts) * (count(hosts) - 1)));
    for (const auto& [between, number] : messages) EXPECT_EQ(number, 1);
  }
}

TEST_F(Aggregated, RefusesPhasesThatPassOnBlocks) {
  EXPECT_THAT(plan_of(Collective::alltoallv, "aggregated(2x2)[bruck,linear]").refusal({.ranks = 4}).value(),
              HasSubstr("bruck passes on blocks of others"));
}

// Where hosts have several ranks, with the plans that can serve in its phases.
TEST_F(Aggregated, IsTriedByHosts) {
  const auto tried = [](const Hosts& hosts) {
    std::vector<std::string> plans;
    for (const CompositionTemplate& composition :
         templates(Collective::alltoallv, {.ranks = static_cast<int>(hosts.size()), .hosts = &hosts}))
      if (composition.group == "aggregated") plans.push_back(composition.filled(composition.plans).text());
    return plans;
  };
  EXPECT_THAT(tried({0, 0, 1, 1, 2, 2}), testing::ElementsAre("aggregated(node)[linear]"));
  EXPECT_THAT(tried({0, 1, 2, 3, 4, 5}), testing::IsEmpty());
}

TEST(Via, AllWaysAnyRanks) {
  std::set<std::string> ways;
  for (const CollectiveTraits& collective : collectives)
    for (int ranks = 1; ranks <= 20; ++ranks)
      for (const CompositionTemplate& composition : templates(collective.collective, {.ranks = ranks})) {
        if (composition.group != "via" || is_irregular(collective.collective)) continue;
        ways.insert(fmt::format("{} {}", collective.name, composition.head.text()));
        expect_proven(composition.head, ranks);
        std::vector<Plan> algorithms;
        for (const CompositionTemplate::Slot& slot : composition.slots)
          algorithms.push_back(slot.collective == Collective::alltoall ? Plan::of(slot.collective, "pairwise")
                                                                       : known_plans(slot.collective).at(1));
        expect_proven(composition.filled(algorithms), ranks);
        if (HasFatalFailure()) return;
      }
  EXPECT_EQ(ways.size(), 15u);
}

TEST(Split, AnyPiecesAnyRanks) {
  using enum Collective;
  for (const Collective collective : {gather, scatter, allgather, alltoall})
    for (int ranks = 1; ranks <= 9; ++ranks)
      for (const char* piece : {"64", "9K", "1M"}) {
        for (const Plan& inner : known_plans(collective, ranks))
          expect_proven(plan_of(collective, fmt::format("split({})[{}]", piece, inner.text())), ranks);
        if (HasFatalFailure()) return;
      }
}

TEST(Split, WaitsInTheLibraryBetweenPiecesOfAGather) {
  using enum Collective;
  for (const Collective collective : {gather, gatherv, scatter, scatterv, allgather, alltoall}) {
    const bool gathers = traits(collective).regular == gather;
    EXPECT_EQ(plan_of(collective, "split(1K)[linear]").waits_in_library(), gathers) << name(collective);
  }
  for (const Collective collective : {gather, scatter, allgather, alltoall})
    EXPECT_TRUE(plan_of(collective, "split(1K)[native]").waits_in_library()) << name(collective);
  EXPECT_TRUE(plan_of(gather, "near(split(1K)[linear])").waits_in_library());
  EXPECT_FALSE(plan_of(gather, "split(1K)[linear]").has_native_phases());
}

TEST(Split, HasAsManyPiecesAsTheBlockNeeds) {
  const Plan plan = plan_of(Collective::gather, "split(1K)[linear]");
  const auto pieces_of = [&](std::size_t block) {
    return pieces(shape_of(plan, {.ranks = 4}, 0, 4 * block));
  };
  EXPECT_EQ(pieces_of(0), 1);
  EXPECT_EQ(pieces_of(1024), 1);
  EXPECT_EQ(pieces_of(1025), 2);
  EXPECT_EQ(pieces_of(10240), 10);
}

TEST(Split, SaysWhatItNeeds) {
  const auto error = [](Collective collective, const char* text) {
    return make_plan(collective, text).error().message;
  };
  EXPECT_THAT(error(Collective::bcast, "split(1K)"), testing::HasSubstr("bcast can't be split"));
  EXPECT_THAT(error(Collective::gather, "split[linear]"),
              testing::HasSubstr("split needs the size of a piece"));
  EXPECT_THAT(error(Collective::gather, "split(many)"), testing::HasSubstr("'many' is no size of a piece"));
  EXPECT_THAT(error(Collective::gather, "split(0)"), testing::HasSubstr("'0' is no size of a piece"));
  EXPECT_THAT(error(Collective::gather, "split(1K)[linear,binomial]"),
              testing::HasSubstr("one plan for all pieces"));
}

}  // namespace
}  // namespace tutti
