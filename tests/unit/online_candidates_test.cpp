// Tests which plans are tried for a class of calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/evidence/knowledge_table.hpp"
#include "choose/evidence/rules.hpp"
#include "choose/planner/connections.hpp"
#include "choose/planner/online_candidates.hpp"
#include "core/network/groups.hpp"
#include "core/plan/compositions/near.hpp"
#include "core/schedule/topology.hpp"
#include "core/synthesis/known_network.hpp"
#include "some_knowledge.hpp"

namespace tutti {
namespace {

TEST(OnlineCandidates, AreWhatIsKnownThenTheNearestThenTheCheapest) {
  const Hosts one_host(4, 0);
  const Setting setting{.ranks = 4, .hosts = &one_host};
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const OnlineCandidates known = online_candidates(some_knowledge(), "Open MPI 4.1.4", exact, setting);
  EXPECT_EQ(known.plans.at(known.presumed).text(), "binomial");
  EXPECT_EQ(known.plans.size(), 2u);  // linear loses
  const CallClass near{Collective::bcast, {4, 1}, SizeClass::of(20000)};
  const OnlineCandidates guessed = online_candidates(some_knowledge(), "Open MPI 4.1.4", near, setting);
  EXPECT_EQ(guessed.presumed, 0u);
  EXPECT_EQ(guessed.plans.at(1).text(), "binomial");
  EXPECT_THAT(guessed.because, testing::HasSubstr("known of 4 ranks"));
  const OnlineCandidates cheap = online_candidates(some_knowledge(), "MPICH 4.0.2", exact, setting);
  EXPECT_TRUE(cheap.plans.front().is_native());
  EXPECT_EQ(cheap.because, "by price");
  EXPECT_LE(cheap.plans.size(), 1 + planner::most_candidates);
}

// Rank 0 tells the others its candidates; what does not fit is not tried.
TEST(OnlineCandidates, AreToldWhole) {
  const Hosts one_host(4, 0);
  const CallClass calls{Collective::bcast, {4, 1}, SizeClass::of(20000)};
  const OnlineCandidates chosen =
      online_candidates(some_knowledge(), "Open MPI 4.1.4", calls, {.ranks = 4, .hosts = &one_host});
  const OnlineCandidates told = parse_candidates(calls.collective, to_text(chosen, 10'000)).value();
  EXPECT_EQ(told.plans, chosen.plans);
  EXPECT_EQ(told.prices, chosen.prices);
  EXPECT_EQ(told.presumed, chosen.presumed);
  EXPECT_EQ(told.because, chosen.because);
  const std::string text = to_text(chosen, 300);
  EXPECT_LE(text.size(), 300u);
  const OnlineCandidates some = parse_candidates(calls.collective, text).value();
  ASSERT_LT(some.plans.size(), chosen.plans.size());
  EXPECT_TRUE(std::equal(some.plans.begin(), some.plans.end(), chosen.plans.begin()));
}

TEST(OnlineCandidates, AreToldWithHowTheyCompare) {
  const auto plan = [](const char* text) { return make_plan(Collective::bcast, text).value(); };
  OnlineCandidates chosen;
  for (const char* text : {"native", "binomial", "chain", "knomial"}) chosen.add(plan(text));
  chosen.known = {{1, 0, evidence(0.7, 9).against_native},
                  {2, 1, evidence(0.9, 5).against_native},
                  {3, 1, evidence(1.3, 7).against_native}};
  EXPECT_EQ(parse_candidates(Collective::bcast, to_text(chosen, 10'000))->known, chosen.known);
  EXPECT_EQ(chosen.number_of(plan("chain")), 2u);
  EXPECT_EQ(chosen.number_of(plan("linear")), 4u);
  const auto second = chosen.known[0].contrasts, third = chosen.known[2].contrasts;
  chosen.drop(2);
  EXPECT_THAT(chosen.known, testing::ElementsAre(Comparison{1, 0, second}, Comparison{2, 1, third}));
}

// What is ahead by a few calls is tried beside what surely gains.
TEST(OnlineCandidates, PresumeWhatSurelyGains) {
  Knowledge known = some_knowledge();
  known.classes.begin()->second["chain"] = evidence(0.5, 4, 0.5);
  const Hosts one_host(4, 0);
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const OnlineCandidates found =
      online_candidates(known, "Open MPI 4.1.4", exact, {.ranks = 4, .hosts = &one_host});
  EXPECT_EQ(found.plans.at(found.presumed).text(), "binomial");
  EXPECT_EQ(found.plans.at(2).text(), "chain");
}

// Two plans that gain as much as each other beside native may differ, and have been compared with
// each other.
TEST(OnlineCandidates, PresumeWhatWasAheadOfWhatGains) {
  Knowledge known = some_knowledge();
  auto& plans = known.classes.begin()->second;
  plans = {{"native", evidence(1, 40)},
           {"binomial", evidence(0.7, 30)},
           {"chain", evidence(0.65, 4, 0.05)},
           {"knomial", evidence(0.72, 30)},
           {"binary_tree", {.calls = 40, .seconds = evidence(0.6, 40).seconds}}};
  for (auto& [plan, evidence] : plans) evidence.seconds.mean = 1e-6;  // no price promises less
  const Hosts one_host(4, 0);
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const auto chosen = [&] {
    return online_candidates(known, "Open MPI 4.1.4", exact, {.ranks = 4, .hosts = &one_host});
  };
  const auto texts = [](const OnlineCandidates& of) {
    std::vector<std::string> all;
    for (const Plan& plan : of.plans) all.push_back(plan.text());
    return all;
  };
  ASSERT_EQ(chosen().plans.at(chosen().presumed).text(), "binomial");
  EXPECT_THAT(texts(chosen()), testing::UnorderedElementsAre("native", "binomial", "chain", "knomial"));

  plans["chain"].against_others["binomial"] = evidence(0.9, 40).against_native;
  const OnlineCandidates ahead = chosen();
  EXPECT_EQ(ahead.plans.at(ahead.presumed).text(), "chain");
  EXPECT_THAT(texts(ahead),
              testing::UnorderedElementsAre("native", "chain", "knomial"));  // binomial lost to it
  EXPECT_THAT(ahead.known, testing::ElementsAre(Comparison{1, 0, plans["chain"].against_native},
                                                Comparison{2, 0, plans["knomial"].against_native}));

  // What came when native had left the race was compared with others only.
  plans["chain"].against_others["binary_tree"] = evidence(1.1, 40).against_native;
  const OnlineCandidates late = chosen();
  EXPECT_EQ(late.plans.at(late.presumed).text(), "binary_tree");
  EXPECT_TRUE(late.known.empty());  // of those that are left

  // A few calls, or what is no better, don't change what is presumed.
  plans["chain"].against_others = {{"binomial", evidence(0.9, 3).against_native},
                                   {"knomial", evidence(1.01, 40, 0.2).against_native}};
  EXPECT_EQ(chosen().plans.at(chosen().presumed).text(), "binomial");
}

// A few calls prove nothing, but short programs would pay for them again and again.
TEST(OnlineCandidates, LeaveOutWhatProbablyLoses) {
  Knowledge known = some_knowledge();
  auto& plans = known.classes.begin()->second;
  plans = {
      {"native", evidence(1, 40)}, {"binary_tree", evidence(1.5, 6, 0.1)}, {"chain", evidence(1.03, 5, 0.3)}};
  EXPECT_FALSE(plans.at("binary_tree").ratio_to_native().low > 1);
  const Hosts one_host(4, 0);
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const OnlineCandidates found =
      online_candidates(known, "Open MPI 4.1.4", exact, {.ranks = 4, .hosts = &one_host});
  std::set<std::string> tried;
  for (const Plan& plan : found.plans) tried.insert(plan.text());
  EXPECT_FALSE(tried.contains("binary_tree"));
  EXPECT_TRUE(tried.contains("chain"));
}

// A first call that took so long says enough, for a while.
TEST(OnlineCandidates, LeaveOutWhatWasHopelessAtItsFirstCall) {
  Knowledge known = some_knowledge();
  auto& plans = known.classes.begin()->second;
  plans = {{"native", evidence(1, 40)}, {"binary_tree", evidence(20, 1)}};
  const Hosts one_host(4, 0);
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const auto is_tried = [&] {
    const OnlineCandidates found =
        online_candidates(known, "Open MPI 4.1.4", exact, {.ranks = 4, .hosts = &one_host});
    return std::any_of(found.plans.begin(), found.plans.end(),
                       [](const Plan& plan) { return plan.text() == "binary_tree"; });
  };
  EXPECT_FALSE(is_tried());
  known.fade(20000 + 120);
  EXPECT_TRUE(is_tried());
}

// Broadcasts of 700 KB on eight hosts of a network that is known.
struct SlowBcasts {
  const Network network = Network::uniform({1e-4, 8e-8});
  Knowledge known{.machine = "", .classes = {}, .networks = {{{"an MPI"}, network}}};
  const Hosts hosts{0, 1, 2, 3, 4, 5, 6, 7};
  const Setting setting{.ranks = 8, .hosts = &hosts};
  const CallClass calls{Collective::bcast, {8, 8}, SizeClass::of(700'000)};

  OnlineCandidates chosen() const { return online_candidates(known, "an MPI", calls, setting); }
};

// A few slow calls teach nothing while a program runs, so a price that promises much serves the
// next program's, unless it was found to be wrong.
TEST(OnlineCandidates, PresumeWhatShouldSaveMuchOfSlowCalls) {
  SlowBcasts slow_bcasts;
  auto& [network, known, hosts, setting, calls] = slow_bcasts;
  auto& plans = known.classes[{"an MPI", calls}];
  const auto chosen = [&] { return slow_bcasts.chosen(); };
  plans["native"] = {.calls = 2, .alone = 0.4};
  const OnlineCandidates slow = chosen();
  ASSERT_NE(slow.presumed, 0u);
  EXPECT_EQ(slow.prices.front(), 0.4);
  EXPECT_LT(slow.prices.at(slow.presumed), LearningRules{}.promising * 0.4);
  EXPECT_EQ(native_seconds(known, "an MPI", calls), 0.4);
  EXPECT_NEAR(native_seconds_spent(known, "an MPI", calls), 0.8, 1e-12);
  EXPECT_EQ(native_seconds_spent(known, "another", calls), 0);
  EXPECT_EQ(slowest_native_seconds(known, "an MPI", {8, 8}), 0.4);
  EXPECT_EQ(slowest_native_seconds(known, "an MPI", {8, 4}), 0);
  EXPECT_EQ(slowest_native_seconds(known, "another", {8, 8}), 0);
  EXPECT_NEAR(seconds_in_slow_calls(known, "an MPI", {8, 8}),
              0.4 * known.classes.begin()->second["native"].calls, 1e-12);
  EXPECT_EQ(seconds_in_slow_calls(known, "an MPI", {8, 4}), 0);
  plans["native"].untried_s = 3;
  EXPECT_EQ(untried_seconds(known, "an MPI", calls), 3);
  EXPECT_EQ(untried_seconds(known, "another", calls), 0);
  EXPECT_EQ(most_untried_seconds(known, "an MPI", {8, 8}), 3);
  EXPECT_EQ(most_untried_seconds(known, "an MPI", {8, 4}), 0);
  EXPECT_EQ(seconds_in_slow_calls(known, "another", {8, 8}), 0);

  const std::string plan = slow.plans.at(slow.presumed).text();
  plans[plan] = {.calls = 1, .seconds = {1, 1, 0.5, 0}};
  const OnlineCandidates found_wrong = chosen();
  EXPECT_NE(found_wrong.plans.at(found_wrong.presumed).text(), plan);
  plans[plan].seconds.mean = 0.1;
  EXPECT_EQ(chosen().plans.at(chosen().presumed).text(), plan);
  plans[plan].against_native = evidence(1.2, 30).against_native;  // it was compared
  const OnlineCandidates known_to_lose = chosen();
  EXPECT_NE(known_to_lose.plans.at(known_to_lose.presumed).text(), plan);
  plans = {{"native", {.calls = 2, .alone = 1.1 * slow.prices.at(slow.presumed)}}};
  EXPECT_EQ(chosen().presumed, 0u);
}

// The MPI library's own algorithms come when others were tried, by the price of ours that do the
// same: the cheapest few, of each one segment.
TEST(OnlineCandidates, AreOfTheLibraryWhereOthersWereTried) {
  SlowBcasts bcasts;
  auto& plans = bcasts.known.classes[{"an MPI", bcasts.calls}];
  const auto ours = [](const char* text) { return make_plan(Collective::bcast, text).value(); };
  const auto librarys = [](const char* text) { return Plan::native(Collective::bcast, text); };
  int asked = 0;
  const FindLibraryPlans find = [&] {
    ++asked;
    return std::vector<LibraryPlan>{{librarys("basic_linear"), ours("linear")},
                                    {librarys("pipeline/8192"), ours("chain(8192)")},
                                    {librarys("pipeline/65536"), ours("chain(65536)")},
                                    {librarys("scatter_ring"), ours("scatter_allgather(ring)")},
                                    {librarys("binomial"), ours("binomial")}};
  };
  const auto chosen = [&](const CallClass& of) {
    std::vector<std::string> texts;
    for (const Plan& plan : online_candidates(bcasts.known, "an MPI", of, bcasts.setting, find).plans)
      if (!plan.library_algorithm().empty()) texts.push_back(plan.text());
    return texts;
  };
  plans["native"] = evidence(1, 40);
  EXPECT_THAT(chosen(bcasts.calls), testing::IsEmpty());
  EXPECT_EQ(asked, 0);
  for (const char* plan : {"binomial", "knomial(4)", "binary_tree", "chain"})
    plans[plan] = evidence(1, 40, 0);
  EXPECT_THAT(chosen(bcasts.calls), testing::ElementsAre("native(pipeline/8192)", "native(scatter_ring)"));
  CallClass at_once = bcasts.calls;
  at_once.mode = Mode::nonblocking;
  bcasts.known.classes[{"an MPI", at_once}] = plans;
  EXPECT_THAT(chosen(at_once), testing::IsEmpty());
  EXPECT_EQ(asked, 1);
  // They are evidence as any other plan's.
  plans["native(pipeline/8192)"] = evidence(0.5, 40);
  const OnlineCandidates next = online_candidates(bcasts.known, "an MPI", bcasts.calls, bcasts.setting, find);
  EXPECT_EQ(next.plans.at(next.presumed).text(), "native(pipeline/8192)");
}

// Run by run two more, so that none pays much and what gains is found in the end; what is as fast
// as native is not tried again.
TEST(OnlineCandidates, TryNewPlansWhereNothingKnownGains) {
  Knowledge known = some_knowledge();
  auto& plans = known.classes.begin()->second;
  const CallClass calls = known.classes.begin()->first.calls;
  plans = {{"native", evidence(1, 40)}};
  for (const char* plan : {"binomial", "chain", "knomial", "binary_tree"}) plans[plan] = evidence(1, 40, 0);
  const Hosts one_host(static_cast<std::size_t>(calls.placement.ranks), 0);
  const Setting setting{.ranks = calls.placement.ranks, .hosts = &one_host};
  EXPECT_FALSE(knows_a_gain(known, "Open MPI 4.1.4", calls));
  std::set<std::string> tried;
  for (int run = 0; run < 3; ++run) {
    const OnlineCandidates found = online_candidates(known, "Open MPI 4.1.4", calls, setting);
    EXPECT_EQ(found.plans.size(), 3u);
    EXPECT_EQ(found.because, "by price");
    for (const Plan& plan : found.plans)
      if (!plan.is_native()) {
        EXPECT_TRUE(tried.insert(plan.text()).second) << plan.text();
        plans[plan.text()] = evidence(1, 40, 0);
      }
  }
}

// A gain of a few per cent is no reason to stop looking; one of a third is.
TEST(OnlineCandidates, TryNewPlansBesideWhatGainsLittle) {
  Knowledge known = some_knowledge();
  auto& plans = known.classes.begin()->second;
  const CallClass calls = known.classes.begin()->first.calls;
  const Hosts one_host(static_cast<std::size_t>(calls.placement.ranks), 0);
  const Setting setting{.ranks = calls.placement.ranks, .hosts = &one_host};
  for (const double ratio : {0.97, 0.66}) {
    plans = {{"native", evidence(1, 40)}, {"binomial", evidence(ratio, 40)}, {"chain", evidence(1.2, 40)}};
    const OnlineCandidates found = online_candidates(known, "Open MPI 4.1.4", calls, setting);
    EXPECT_EQ(found.plans.at(found.presumed).text(), "binomial");
    EXPECT_EQ(found.plans.size(), ratio > 0.9 ? 4u : 2u);
    EXPECT_EQ(found.number_of(make_plan(Collective::bcast, "chain").value()), found.plans.size());
  }
}

// What gains a third may leave much more to be had. Prices tell, but not against what was seen: a
// best plan that is faster than its price is no reason to look further, nor one that takes long
// because it waits for late ranks.
TEST(OnlineCandidates, TryWhatShouldTakeMuchLessThanTheBest) {
  SlowBcasts slow_bcasts;
  auto& [network, known, hosts, setting, calls] = slow_bcasts;
  auto& plans = known.classes[{"an MPI", calls}];
  const auto chosen = [&] { return slow_bcasts.chosen(); };
  const Plan linear = make_plan(Collective::bcast, "linear").value();
  const double price = quick_price(linear, calls, setting, &network);
  EXPECT_NEAR(price, 7 * 8e-8 * static_cast<double>(calls.typical_size()), 0.01 * price);

  plans = {{"native", evidence(1, 40)}, {"linear", evidence(0.7, 40)}};
  plans["linear"].seconds.mean = price;
  const OnlineCandidates better = chosen();
  EXPECT_EQ(better.plans.at(better.presumed), linear);
  ASSERT_EQ(better.plans.size(), 2 + planner::novelties);
  for (std::size_t i = 2; i < better.plans.size(); ++i) {
    EXPECT_GT(better.prices[i], 0);
    EXPECT_LT(better.prices[i], LearningRules{}.promising * price);
  }
  plans["linear"].seconds.mean = better.prices[2];
  EXPECT_EQ(chosen().plans.size(), 2u);
  plans["linear"].seconds.mean = price;
  const std::string first = better.plans[2].text();
  plans[first].against_others["linear"] = evidence(20, 1).against_native;  // hopeless beside the best
  EXPECT_EQ(chosen().number_of(better.plans[2]), chosen().plans.size());

  plans = {{"native", evidence(1, 40)}, {first, evidence(0.7, 40)}};
  plans[first].seconds.mean = 20 * better.prices[2];
  EXPECT_EQ(chosen().plans.size(), 2u);
  plans["native"].alone = plans[first].seconds.mean / 0.7;  // so nobody was late
  EXPECT_GT(chosen().plans.size(), 2u);
  EXPECT_EQ(chosen().prices.front(), plans["native"].alone);
}

// Where ranks know only their own sizes, too, what is short and what is long have plans of their
// own; what a table says of all sizes is as near as can be.
TEST(OnlineCandidates, AreOfASizeWhereRanksKnowTheirOwn) {
  const Network network = Network::uniform({1e-4, 8e-8});
  Knowledge known{.machine = "", .classes = {}, .networks = {{{"an MPI"}, network}}};
  Hosts hosts;
  for (Rank rank = 0; rank < 16; ++rank) hosts.push_back(rank);
  const Setting setting{.ranks = 16, .hosts = &hosts};
  const auto calls = [](std::size_t size) {
    return CallClass{Collective::alltoallv, {16, 16}, SizeClass::of(size)};
  };
  const auto first = [&](std::size_t size) {
    return online_candidates(known, "an MPI", calls(size), setting).plans.at(1).text();
  };
  EXPECT_NE(first(4), first(40'000));
  known.classes[{"an MPI", calls(0)}] = {{"native", evidence(1, 40)}, {"pairwise", evidence(0.5, 40)}};
  EXPECT_EQ(first(4), "pairwise");
  EXPECT_EQ(first(40'000), "pairwise");
}

// One port that gives or gets fifteen messages in a row, where others do with four: not worth a
// first call.
TEST(OnlineCandidates, LeaveOutWhatIsTooDear) {
  const Network network = Network::uniform({4e-5, 8e-8});
  Hosts hosts;
  for (Rank rank = 0; rank < 16; ++rank) hosts.push_back(rank);
  const Setting setting{.ranks = 16, .hosts = &hosts};
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::barrier})
    for (const std::size_t size : {8u, 700u, 8704u, 60000u})
      for (const auto& [plan, price] :
           cheapest({collective, {16, 16}, SizeClass::of(size)}, setting, &network, {}))
        EXPECT_FALSE(plan.text().starts_with("linear")) << name(collective) << " of " << size;
}

// Where most blocks are empty that is the fastest, and no price of equal blocks says so.
TEST(OnlineCandidates, SendStraightWhereBlocksMayBeEmpty) {
  Hosts hosts;
  for (int rank = 0; rank < 64; ++rank) hosts.push_back(rank / 8);
  const auto found = [&](Collective collective, const Wanted& wanted) {
    return cheapest({collective, {64, 8}, SizeClass::of(16)}, {.ranks = 64, .hosts = &hosts}, nullptr,
                    wanted);
  };
  const auto is_straight = [](const Priced& one) { return !one.plan.relays(); };
  EXPECT_TRUE(std::ranges::none_of(found(Collective::alltoall, {}), is_straight));
  for (const Collective collective : {Collective::alltoallv, Collective::alltoallw})
    for (const std::size_t most : {planner::novelties, planner::most_candidates}) {
      const auto plans = found(collective, {.most = most});
      EXPECT_LE(plans.size(), most);
      EXPECT_EQ(plans.at(1).plan.text(), "memory(linear)");
      EXPECT_EQ(plans.at(1).seconds, 0);
    }
  EXPECT_TRUE(std::ranges::none_of(found(Collective::alltoallv, {.most_seconds = 1e-9}), is_straight));
}

// Where latency keeps no port busy, phases that post all their messages at once come first; where
// it does, fewer messages do.
TEST(OnlineCandidates, ComeInTheOrderOfTheirPrices) {
  Hosts hosts;
  for (Rank rank = 0; rank < 16; ++rank) hosts.push_back(rank);
  const Setting setting{.ranks = 16, .hosts = &hosts};
  const CallClass calls{Collective::allgather, {16, 16}, SizeClass::of(700)};
  const Network busy = Network::uniform({1e-4, 8e-8});
  Network swift = busy;
  swift.links.front().gap = Curve::line(2e-5, 8e-8);
  EXPECT_EQ(cheapest(calls, setting, &swift, {}).at(0).plan.text(), "grid(4x4)[linear,linear]");
  EXPECT_EQ(cheapest(calls, setting, &busy, {}).at(0).plan.text(), "bruck");
}

// Compositions are tried with algorithms that have not been tried so yet before others of their
// kind; where phases are cheapest by different ones, also with one of these in all of them.
TEST(OnlineCandidates, ComposeOfDifferentAlgorithms) {
  Hosts hosts;
  for (Rank rank = 0; rank < 16; ++rank) hosts.push_back(rank);
  const Setting setting{.ranks = 16, .hosts = &hosts};
  const CallClass calls{Collective::allgather, {16, 16}, SizeClass::of(1600)};
  Network network = Network::uniform({1.84e-4, 1.2e-7});
  network.links.front().time = Curve({{1, 1.84e-4}, {256, 2.43e-4}, {2048, 4.29e-4}, {8192, 7.97e-4}});
  network.links.front().gap = Curve({{1, 4.3e-5}, {256, 1.05e-4}, {2048, 3.12e-4}, {8192, 6.79e-4}});
  Wanted wanted;
  std::vector<std::string> composed;
  for (int run = 0; run < 2; ++run)
    for (const Priced& one : cheapest(calls, setting, &network, wanted)) {
      wanted.tried.insert(one.plan.text());
      const std::string& text = one.plan.text();
      if (one.plan.composition()) composed.push_back(text.substr(text.find('[')));
    }
  EXPECT_THAT(composed, testing::Contains("[linear,linear]"));
  EXPECT_THAT(composed, testing::Contains("[bine,bine]"));
  EXPECT_EQ(std::set(composed.begin(), composed.end()).size(), composed.size());
}

// What is too dear to try takes no place: as long as there are compositions that are not, each run
// tries some.
TEST(OnlineCandidates, ComposeAsLongAsThatIsNotTooDear) {
  Hosts hosts;
  for (Rank rank = 0; rank < 16; ++rank) hosts.push_back(rank);
  const Setting setting{.ranks = 16, .hosts = &hosts};
  const Network network = Network::uniform({1.8e-4, 1.2e-7});
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather})
    for (const std::size_t size : {100u, 1600u, 40000u}) {
      Wanted wanted{.most = 2};
      double least = 0;  // of an algorithm
      bool composed = true;
      for (int run = 0; run < 12; ++run) {
        bool composes = false;
        for (const auto& [plan, price] :
             cheapest({collective, {16, 16}, SizeClass::of(size)}, setting, &network, wanted)) {
          if (run == 0 && plan.algorithm()) least = price;
          EXPECT_TRUE(run == 0 || price <= 3 * least) << plan.text();
          EXPECT_TRUE(wanted.tried.insert(plan.text()).second) << plan.text();
          composes |= plan.composition() != nullptr;
        }
        EXPECT_LE(composes, composed) << name(collective) << " of " << size << ", run " << run;
        composed = composes;
      }
      EXPECT_GT(least, 0);
    }
}

// Where every two have to be connected, even what promises much is left to later runs.
TEST(OnlineCandidates, ConnectFewAtFirst) {
  Hosts hosts;
  for (Rank rank = 0; rank < 16; ++rank) hosts.push_back(rank);
  Network network = Network::uniform({1e-4, 8e-8});
  network.links.front().gap = Curve::line(2e-6, 8e-8);
  const CallClass calls{Collective::allgather, {16, 16}, SizeClass::of(8)};
  for (const bool needs_connections : {true, false})
    for (const bool may_connect : {true, false}) {
      const Setting setting{.ranks = 16, .hosts = &hosts, .needs_connections = needs_connections};
      const auto plans = cheapest(calls, setting, &network, {.may_connect = may_connect});
      const bool is_tried = std::any_of(plans.begin(), plans.end(),
                                        [](const Priced& one) { return one.plan.text() == "linear"; });
      EXPECT_EQ(is_tried, may_connect || !needs_connections);
    }
}

// A short probe hardly tells whether messages are better off through memory, unless by far.
TEST(OnlineCandidates, GoThroughMemoryAndNot) {
  const Hosts one_host(8, 0);
  const Setting setting{.ranks = 8, .hosts = &one_host};
  const CallClass calls{Collective::allgather, {8, 1}, SizeClass::of(700)};
  Network network = Network::uniform({1e-6, 1e-10});
  for (const double dearer : {0.2, 0.7, 1.5, 5.0}) {
    network.memory = Network::uniform({dearer * 1e-6, dearer * 1e-10}).links.front();
    const auto plans = cheapest(calls, setting, &network, {});
    const auto through_memory = std::count_if(plans.begin(), plans.end(),
                                              [](const Priced& one) { return one.plan.is_through_memory(); });
    EXPECT_EQ(through_memory > 0, dearer < 5) << dearer;
    EXPECT_EQ(through_memory<std::ssize(plans), dearer> 0.3) << dearer;
  }
}

// Ranks that a launcher deals out to hosts in turn, or a scheduler to switches, exchange what they
// can with near ones; those that lie in order already need no other.
TEST(OnlineCandidates, KeepMessagesNearWhereRanksLieScattered) {
  const auto candidates = [](Collective collective, std::size_t size, const Setting& setting) {
    return cheapest({collective, {setting.ranks, count(*setting.hosts)}, SizeClass::of(size)}, setting,
                    nullptr, {});
  };
  const auto is_near = [](const Priced& one) { return is_on_near_ranks(one.plan); };
  std::ptrdiff_t near = 0;
  double leaves = 0, would_leave = 0;  // in the other order
  for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allgather,
                                      Collective::reduce_scatter, Collective::allreduce})
    for (const std::size_t size : {40u, 300'000u})
      for (const int ranks : {16, 48, 1000}) {
        Hosts in_turn, in_order, one_each;
        std::vector<std::vector<std::uint64_t>> around;
        for (Rank rank = 0; rank < ranks; ++rank) {
          in_turn.push_back(rank % 8);
          in_order.push_back(rank / 8);
          one_each.push_back(rank);
          around.push_back({1 + static_cast<std::uint64_t>(rank % 4)});
        }
        const GroupLevels levels = GroupLevels::of(with_groups_around({.hosts = one_each}, around), ranks);
        for (const auto& [setting, places] :
             {std::pair<Setting, const Hosts*>({.ranks = ranks, .hosts = &in_turn}, &in_turn),
              std::pair<Setting, const Hosts*>({.ranks = ranks, .hosts = &one_each, .levels = &levels},
                                               &levels.groups)}) {
          const auto plans = candidates(collective, size, setting);
          near += std::ranges::count_if(plans, is_near);
          for (const Priced& one : plans) {
            EXPECT_FALSE(one.plan.refusal(setting)) << one.plan.text();
            const auto other = is_near(one) ? without_near(one.plan) : near_ranks(one.plan);
            if (ranks > planner::most_walked_ranks || !other) continue;
            Reach reach(setting, size, places);
            leaves += reach.share_that_leaves(one.plan);
            would_leave += reach.share_that_leaves(*other);
          }
        }
        const Setting ordered{.ranks = ranks, .hosts = &in_order};
        EXPECT_EQ(std::ranges::count_if(candidates(collective, size, ordered), is_near), 0);
      }
  EXPECT_GT(near, 50);
  EXPECT_LT(leaves, 0.8 * would_leave);
}

// The network that a table was computed for may tell that ranks lie scattered, too.
TEST(OnlineCandidates, ServeWhereATablesNetworkIsKnown) {
  Network network = Network::uniform({2e-5, 1e-9});
  Hosts hosts;
  for (Rank rank = 0; rank < 12; ++rank) {
    hosts.push_back(rank);
    network.group_of.push_back(rank % 3);
  }
  network.groups.resize(3);
  const KnownNetwork known = KnownNetwork::of(network, 12);
  const Setting setting{.ranks = 12, .hosts = &hosts, .network = &known};
  const auto plans = cheapest({Collective::bcast, {12, 12}, SizeClass::of(300)}, setting, nullptr, {});
  EXPECT_THAT(plans, testing::Contains(testing::Field(
                         &Priced::plan, testing::Property(&Plan::text, testing::StartsWith("near(")))));
}

// A network that tells in which torus hosts are has grids of its sides tried.
TEST(OnlineCandidates, GoAlongTheSidesOfATorus) {
  Network network{.links = {Link::swift({.alpha = 1e-6, .beta = 1e-9})},
                  .ports = PortUse::shared,
                  .width = {4, 4, 4},
                  .torus = Torus{.sides = {4, 4}, .seconds_per_byte = 1e-9, .hop = 1e-6}};
  for (int host = 0; host < 16; ++host) {
    network.torus->coordinates.push_back({host * 5 % 4, host * 5 % 16 / 4});
    network.hosts.push_back(host);
  }
  const KnownNetwork known = KnownNetwork::of(network, 16);
  const Setting setting{.ranks = 16, .hosts = &network.hosts, .network = &known};
  int along = 0;
  for (const Collective collective : {Collective::allreduce, Collective::allgather, Collective::alltoall})
    for (const std::size_t size : {300u, 30'000u, 3'000'000u})
      for (const Priced& one : cheapest({collective, {16, 16}, SizeClass::of(size)}, setting, nullptr, {}))
        along += one.plan.text().starts_with("near(grid(4x4)[");
  EXPECT_GT(along, 0);
}

// Candidates for every operation, on few and on thousands of ranks: different kinds, all of which
// serve.
TEST(OnlineCandidates, ServeWhatTheyAreChosenFor) {
  const Network network = Network::uniform({2e-5, 1e-9});
  for (const CollectiveTraits& collective : collectives)
    for (const int ranks : {2, 3, 16, 17, 96, 1024, 4096})
      for (const bool commutative : {true, false}) {
        Hosts hosts;
        for (Rank rank = 0; rank < ranks; ++rank) hosts.push_back(rank / 8);
        const auto neighbors = collective.on_neighbors ? stencil_topology(27, ranks) : std::nullopt;
        const Setting setting{.ranks = ranks,
                              .commutative = commutative,
                              .hosts = &hosts,
                              .topology = neighbors ? &*neighbors : nullptr};
        const CallClass calls{collective.collective,
                              {ranks, count(hosts)},
                              SizeClass::of(3000),
                              commutative ? OperandOrders::any : OperandOrders::in_rank_order};
        const auto plans = cheapest(calls, setting, &network, {});
        EXPECT_LE(plans.size(), planner::most_candidates);
        EXPECT_FALSE(plans.empty()) << collective.name << " on " << ranks;
        for (const auto& [plan, price] : plans) EXPECT_FALSE(plan.refusal(setting)) << plan.text();
      }
}

// What leaves barriers or phases to the MPI library would block calls that return at once. What is
// known of these is of no other calls.
TEST(OnlineCandidates, DoNotBlockCallsThatReturnAtOnce) {
  Knowledge known = some_knowledge();
  const std::string mpi = known.classes.begin()->first.mpi;
  CallClass calls{Collective::gather, {4, 1}, SizeClass::of(100'000)};
  const Hosts one_host(4, 0);
  for (const Mode mode : {Mode::blocking, Mode::nonblocking}) {
    calls.mode = mode;
    EXPECT_FALSE(knows_a_gain(known, mpi, calls));
    known.classes[{mpi, calls}] = {{"native", evidence(1, 40)},
                                   {"split(8K)[linear]", evidence(0.6, 40)},
                                   {"binomial", evidence(0.8, 40)}};
    EXPECT_TRUE(knows_a_gain(known, mpi, calls));
    known = parse_knowledge(to_text(known), "k.json").value();
    const OnlineCandidates found = online_candidates(
        known, mpi, calls, {.ranks = 4, .hosts = &one_host, .has_memory = mode == Mode::blocking});
    std::set<std::string> tried;
    for (const Plan& plan : found.plans) tried.insert(plan.text());
    EXPECT_EQ(tried.contains("split(8K)[linear]"), mode == Mode::blocking);
  }
  const Table table = table_of(known, {mpi, known.machine});
  ASSERT_EQ(table.rule_sets.size(), 3u);
  EXPECT_NE(table.find(Called{Collective::gather, Mode::nonblocking}, {4, 1}), nullptr);
}

// What goes by bytes of which each rank knows its own serves them as it does calls that block.
TEST(OnlineCandidates, GoByBytesInIrregularCallsOfAllModes) {
  const Hosts one_host(4, 0);
  const Setting setting{.ranks = 4, .hosts = &one_host};
  for (const Mode mode : all_modes) {
    Knowledge known{.machine = "", .classes = {}, .networks = {{{"an MPI"}, Network::uniform({1e-5, 1e-9})}}};
    const CallClass calls{Collective::scatterv, {4, 1}, SizeClass::of(100'000), OperandOrders::any, "", mode};
    known.classes[{"an MPI", calls}] = {{"native", evidence(1, 40)},
                                        {"split(8K)[linear]", evidence(0.6, 40)}};
    const OnlineCandidates found = online_candidates(known, "an MPI", calls, setting);
    EXPECT_GT(found.plans.size(), 1u);
    ASSERT_EQ(found.presumed, 1u);
    EXPECT_EQ(found.plans.at(1).text(), "split(8K)[linear]");
  }
}

// It may be another call's data where ranks call different operations at the same time.
TEST(OnlineCandidates, AreNotBelievedWhateverTheyAre) {
  const std::string plan = R"(["binomial",1.0])", native = R"(["native",1.0])";
  const auto text = [&](const std::string& plans, const std::string& known, int presumed) {
    return R"({"because":"","paid_s":0.5,"presumed":)" + std::to_string(presumed) + R"(,"plans":[)" + plans +
           R"(],"known":[)" + known + "]}";
  };
  const auto right =
      parse_candidates(Collective::bcast, text(native + "," + plan, "[1,0,1.0,1.0,0.0,0.0]", 1));
  ASSERT_TRUE(right) << right.error().message;
  EXPECT_EQ(right->paid_s, 0.5);
  EXPECT_EQ(parse_candidates(Collective::bcast, to_text(*right, 1000))->paid_s, 0.5);
  for (const std::string& wrong : {std::string(), std::string("\x01\x02\x00{", 4), std::string("{}"),
                                   text(native + R"(,["bruck",1.0])", "", 0), text(native, "", 1),
                                   text(native, "[1,0,1.0,1.0,0.0,0.0]", 0), text(native, "[\"x\"]", 0)}) {
    const auto told = parse_candidates(Collective::bcast, wrong);
    ASSERT_FALSE(told) << wrong;
    EXPECT_FALSE(told.error().message.empty());
  }
}

}  // namespace
}  // namespace tutti
