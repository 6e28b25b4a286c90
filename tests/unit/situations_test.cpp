// Groups that work beside each other: how they lie, and by how much they slow each other down.

#include <gtest/gtest.h>

#include "core/network/contention.hpp"
#include "core/network/native_steps.hpp"
#include "core/network/runtime_model.hpp"
#include "core/plan/plan.hpp"

namespace tutti {
namespace {

Hosts dealt_out(int ranks, int hosts) {
  Hosts list;
  for (int rank = 0; rank < ranks; ++rank) list.push_back(rank % hosts);
  return list;
}

TEST(Situation, TellsHowGroupsLie) {
  const Situation neighbours = situation_of({{0, 1}, {2, 3}, {4, 5}, {6, 7}}, dealt_out(8, 4));
  EXPECT_EQ(neighbours, (Situation{.groups = 4, .stride = 1, .place = Place::spread, .sharing = 2}));
  const Situation strided = situation_of({{0, 4}}, dealt_out(8, 4));
  EXPECT_EQ(strided, (Situation{.groups = 1, .stride = 4, .place = Place::within, .sharing = 1}));
  const Situation packed = situation_of({{0, 2, 4, 6}, {1, 3, 5, 7}}, dealt_out(8, 4));
  EXPECT_EQ(packed, (Situation{.groups = 2, .stride = 2, .place = Place::packed, .sharing = 1}));
  EXPECT_EQ(situation_of({{3, 1, 2}}, {}), (Situation{.groups = 1, .stride = 1}));
  EXPECT_EQ(describe(neighbours), "4 groups at once, neighbours, one rank a host with 2 groups");
  EXPECT_EQ(describe(strided), "one group, 4 ranks apart, on one host");
}

NativeSteps stages(Collective collective, const std::string& plan, int ranks, std::size_t size) {
  const Hosts hosts = dealt_out(ranks, ranks);
  const Setting setting{.ranks = ranks, .hosts = &hosts};
  const std::size_t bytes = total_bytes(collective, ranks, size);
  const Plan made = make_plan(collective, plan).value();
  const Schedule schedule = generate(made, shape_of(made, setting, 0, bytes));
  return native_steps(schedule, match_native_phases(schedule), bytes, hosts);
}

TEST(NativeSteps, AreAGridsPhases) {
  const auto bcast = stages(Collective::bcast, "grid(3x4)", 12, 1000).list;
  ASSERT_EQ(bcast.size(), 2u);
  EXPECT_EQ(bcast[0].groups, (std::vector<std::vector<Rank>>{{0, 4, 8}}));
  EXPECT_EQ(bcast[0].situation, (Situation{.groups = 1, .stride = 4}));
  EXPECT_EQ(bcast[1].groups.size(), 3u);
  EXPECT_EQ(bcast[1].situation, (Situation{.groups = 3, .stride = 1}));
  EXPECT_EQ(bcast[1].bytes, 1000u);

  const auto gather = stages(Collective::gather, "grid(3x4)", 12, 1000).list;
  ASSERT_EQ(gather.size(), 2u);
  EXPECT_EQ(gather[0].groups.size(), 3u);
  EXPECT_EQ(gather[0].bytes, 1000u);
  EXPECT_EQ(gather[1].groups.size(), 1u);
  EXPECT_EQ(gather[1].bytes, 4000u);
}

TEST(NativeSteps, OfSeveralCollectivesAreSeveral) {
  const auto scan = stages(Collective::scan, "grid(3x4)", 12, 800).list;
  ASSERT_EQ(scan.size(), 3u);
  EXPECT_EQ(scan[0].groups.size(), 3u);
  EXPECT_EQ(scan[1].groups.size(), 1u);
  EXPECT_EQ(scan[2].groups.size(), 2u);
  EXPECT_EQ(stages(Collective::bcast, "binomial", 12, 8).list.size(), 0u);
}

std::vector<double> run(Contention& contention) {
  std::vector<double> last;
  while (!contention.idle())
    for (const auto& [candidate, rank, seconds] : contention.advance()) {
      last.resize(std::max(last.size(), static_cast<std::size_t>(candidate) + 1));
      last[static_cast<std::size_t>(candidate)] = seconds;
    }
  return last;
}

// A group of two ranks on these hosts, which takes a second alone and two beside another.
OnlineCandidate pair_on(int host, double start) {
  return {.start = start,
          .alone = 1,
          .beside = 2,
          .stage = 0,
          .groups = 2,
          .sharing = 2,
          .one_way = true,
          .hosts = {host, host + 1},
          .leaves = {}};
}

TEST(Contention, SharesWhatGroupsShare) {
  Contention together;
  together.add(pair_on(0, 0));
  together.add(pair_on(0, 0));
  EXPECT_EQ(run(together), (std::vector<double>{2, 2}));

  Contention staggered;
  staggered.add(pair_on(0, 0));
  staggered.add(pair_on(0, 0.5));
  const auto ends = run(staggered);
  EXPECT_DOUBLE_EQ(ends[0], 1.5);
  EXPECT_DOUBLE_EQ(ends[1], 2);

  Contention elsewhere;
  elsewhere.add(pair_on(0, 0));
  elsewhere.add(pair_on(2, 0));
  EXPECT_EQ(run(elsewhere), (std::vector<double>{1, 1}));
}

TEST(Contention, ARankThatIsDoneIsInNobodysWay) {
  Contention contention;
  OnlineCandidate first = pair_on(0, 0);
  first.leaves = {0.25, 1};  // its rank on host 0 leaves early
  contention.add(first);
  OnlineCandidate other = pair_on(0, 0);
  other.hosts = {0, 5};
  contention.add(other);
  const auto ends = run(contention);
  EXPECT_DOUBLE_EQ(ends[0], 0.5 + 0.75);
  EXPECT_DOUBLE_EQ(ends[1], 0.5 + 0.75);
}

TEST(Contention, SharesANetworkByHowManyRun) {
  Contention contention;
  for (int host = 0; host < 3; ++host)
    contention.add({.start = host == 2 ? 1.0 : 0.0,
                    .alone = 1,
                    .beside = 3,
                    .stage = 0,
                    .groups = 3,
                    .sharing = 1,
                    .one_way = true,
                    .hosts = {host},
                    .leaves = {}});
  const auto ends = run(contention);  // a second of two, then three together
  EXPECT_DOUBLE_EQ(ends[0], 2.5);
  EXPECT_DOUBLE_EQ(ends[1], 2.5);
  EXPECT_DOUBLE_EQ(ends[2], 3);
}

TEST(Contention, SlowsAnotherStageByWhatItsOwnWasSlowed) {
  for (const bool one_way : {true, false}) {
    Contention contention;
    contention.add(pair_on(0, 0));
    contention.add({.start = 0,
                    .alone = 2,
                    .beside = 2,
                    .stage = 1,
                    .groups = 1,
                    .sharing = 1,
                    .one_way = one_way,
                    .hosts = {1, 7},
                    .leaves = {}});
    const auto ends = run(contention);
    EXPECT_DOUBLE_EQ(ends[0], 2);
    EXPECT_DOUBLE_EQ(ends[1], one_way ? 3 : 2 + (2 - 2 / 1.5));
  }
}

TEST(Contention, OfWhatTakesNoTimeEnds) {
  Contention contention;
  OnlineCandidate nothing = pair_on(0, 1);
  nothing.alone = nothing.beside = 0;
  contention.add(nothing);
  EXPECT_EQ(run(contention), std::vector<double>{1});
}

TEST(RuntimeModel, TakesTheFunctionOfTheSituation) {
  const auto taking = [](double seconds) {
    return fit({{4, 1000, seconds}, {4, 2000, seconds}, {4, 4000, seconds}});
  };
  const RuntimeModel model{
      {{Collective::bcast, "native", taking(1), {}, {}},
       {Collective::bcast, "native", taking(2), {true, false, Place::spread}, {{2, {0.5, 1}}}},
       {Collective::bcast, "native", taking(3), {true, true, Place::packed}, {}}}};
  const RuntimeModel again = parse_runtime_model(to_text(model), "here").value();
  const NativeTime native = native_time_of(again, [](const NativeCall&) { return -1.0; });
  const auto seconds = [&](const Situation& situation) {
    return native({Collective::bcast, 4, 1000, situation}).seconds;
  };
  EXPECT_NEAR(seconds({}), 1, 1e-9);
  EXPECT_NEAR(seconds({.groups = 5}), 2, 1e-9);
  EXPECT_NEAR(seconds({.groups = 5, .stride = 3}), 2, 1e-9);  // how ranks lie on hosts weighs more
  EXPECT_NEAR(seconds({.groups = 1, .stride = 3, .place = Place::packed}), 3, 1e-9);
  EXPECT_EQ(native({Collective::bcast, 2, 1000, {.groups = 5}}).leaves, (std::vector<double>{0.5, 1}));
  EXPECT_TRUE(native({Collective::bcast, 3, 1000, {.groups = 5}}).leaves.empty());
  EXPECT_EQ(native({Collective::gather, 4, 1000}).seconds, -1);
}

TEST(RuntimeFunction, KnowsHowManyGroupsShareAPort) {
  std::vector<Timing> timings;
  for (const int sharing : {1, 2, 4})
    for (const int ranks : {2, 4, 8})
      for (const double bytes : {1e3, 1e4, 1e5})
        timings.push_back({ranks, bytes, 1e-3 + (2e-8 + 1e-8 * ranks) * sharing * bytes, sharing});
  const RuntimeFunction function = fit(timings);
  ASSERT_EQ(function.pieces().size(), 1u);
  EXPECT_EQ(function.pieces().front().form, Form::shared_product);
  EXPECT_NEAR(function(6, 50000, 3), 1e-3 + 8e-8 * 3 * 50000, 1e-9);
}

}  // namespace
}  // namespace tutti
