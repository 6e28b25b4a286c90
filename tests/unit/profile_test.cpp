// What ranks spent, merged; what of it may be waiting; what a table would save.

#include "choose/profile/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/profile/advice.hpp"

namespace tutti {
namespace {

constexpr ProfiledKind sums{Collective::allreduce, {4, 2}, SizeClass::of(1000), "MPI_COMM_WORLD", "native"};

// Profile of one rank: `calls` calls, each of 1,000 bytes.
Profile of_rank(std::uint64_t calls, double seconds, double shortest_s, const ProfiledKind& kind = sums) {
  Profile profile{.fingerprint = {"Some MPI 1.0", "some machine"},
                  .date = "2026-03-01",
                  .ranks = 4,
                  .hosts = 2,
                  .seconds = 10,
                  .profiled_ranks = 1,
                  .calls = {}};
  profile.calls[kind].add(calls, 1000.0 * static_cast<double>(calls), seconds, shortest_s);
  return profile;
}

Profile of_four_ranks() {
  Profile all = of_rank(100, 1, 0.008);
  for (int rank = 1; rank < 4; ++rank) all.merge(of_rank(100, 2, 0.01));
  return all;
}

TEST(Profile, MergesRanks) {
  const Profile all = of_four_ranks();
  EXPECT_EQ(all.profiled_ranks, 4);
  const ProfiledCalls& spent = all.calls.at(sums);
  EXPECT_EQ(spent.calls, 400u);
  EXPECT_DOUBLE_EQ(spent.seconds, 7);
  EXPECT_DOUBLE_EQ(spent.least_s, 0.01);
  EXPECT_DOUBLE_EQ(spent.most_s, 0.02);
  EXPECT_DOUBLE_EQ(spent.shortest_s, 0.008);
  EXPECT_DOUBLE_EQ(all.collective_s(), 7.0 / 4);
  // The first rank comes late: the others are in their calls for a second longer.
  EXPECT_DOUBLE_EQ(spent.waiting_at_least_s(Collective::allreduce), 3);
  EXPECT_NEAR(spent.waiting_at_most_s(Collective::allreduce), 7 - 400 * 0.008, 1e-12);
  // In a broadcast the root may just be done before the others.
  for (const Collective may_leave_early : {Collective::bcast, Collective::scan, Collective::alltoallv,
                                           Collective::alltoallw, Collective::neighbor_alltoall})
    EXPECT_EQ(spent.waiting_at_least_s(may_leave_early), 0) << name(may_leave_early);
}

TEST(Profile, AddsCallsOfOneRankOnSeveralCommunicators) {
  Profile profile = of_rank(100, 1, 0.008);
  profile.calls[sums].add(300, 0, 1, 0.001);
  const ProfiledCalls& spent = profile.calls.at(sums);
  EXPECT_EQ(spent.ranks, 1);
  EXPECT_EQ(spent.calls, 400u);
  EXPECT_DOUBLE_EQ(spent.least_s, 2.0 / 400);
  EXPECT_DOUBLE_EQ(spent.shortest_s, 0.001);
  EXPECT_EQ(spent.waiting_at_least_s(Collective::allreduce), 0);
}

TEST(Profile, IsTheSameFromItsFile) {
  Profile profile = of_four_ranks();
  profile.calls[{Collective::gatherv, {4, 0}, {}, "a \"name\"", "native (intercommunicator)"}].add(1, 0, 1e-9,
                                                                                                   1e-9);
  profile
      .calls[{Collective::gatherv, {4, 0}, {}, "a \"name\"", "native (intercommunicator)", "solve/exchange"}]
      .add(1, 0, 1e-9, 1e-9);
  const auto again = parse_profile(to_text(profile), "x");
  ASSERT_TRUE(again);
  EXPECT_EQ(to_text(*again), to_text(profile));
  EXPECT_EQ(again->calls.size(), 3u);
}

TEST(Profile, NamesWhatIsWrongWithAFile) {
  const auto message = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    const auto read = parse_profile(text, "p.json");
    return read ? "" : read.error().message;
  };
  const std::string text = to_text(of_four_ranks());
  EXPECT_THAT(message(text, "\"allreduce\"", "\"cast\""),
              testing::HasSubstr("profile p.json: no operation 'cast'"));
  EXPECT_THAT(message(text, "\"size_class\": 10", "\"size_class\": 99"), testing::HasSubstr("size_class 99"));
  EXPECT_THAT(message(text, "tutti-profile-1", "tutti-profile-2"), testing::HasSubstr("tutti run --profile"));
}

Table table_with(const std::string& plan, double ratio) {
  Table table{.fingerprint = {}, .network = {1e-6, 1e-9}, .rule_sets = {}, .measurements = {}};
  table.rule_sets.push_back(
      {Collective::allreduce, {4, 2}, {{0, 4000, make_plan(Collective::allreduce, plan).value()}}});
  table.measurements.push_back({.collective = Collective::allreduce,
                                .ranks = 4,
                                .hosts = 2,
                                .size = 1024,
                                .plan = plan,
                                .seconds = {1, 1, 1},
                                .mean = 1,
                                .ratio_to_native = {ratio, ratio, ratio},
                                .repetitions = 50});
  return table;
}

TEST(Advice, PromisesWhatWasMeasuredForSuchCalls) {
  const Profile profile = of_four_ranks();
  const auto groups = groups_of(profile);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].size_of_call(), 1000u);
  const auto promise = promise_of(table_with("ring", 0.25), groups[0]);
  ASSERT_TRUE(promise);
  EXPECT_EQ(promise->plan, "ring");
  EXPECT_EQ(promise->evidence, "measured at 1K");
  // Three quarters of what is not waiting: 4 of 7 s at most, 3.2 at least, of four ranks.
  const Saving saving = saving_of(profile, groups[0], *promise);
  EXPECT_NEAR(saving.at_most_s, 0.75 * 4 / 4, 1e-12);
  EXPECT_NEAR(saving.at_least_s, 0.75 * 3.2 / 4, 1e-12);
  EXPECT_GE(saving.expected_s, saving.at_least_s);
  EXPECT_LE(saving.expected_s, saving.at_most_s);
  EXPECT_EQ(saving_of(profile, groups[0], *promise_of(table_with("native", 1), groups[0])).at_most_s, 0);
}

TEST(Advice, SaysNothingOfOtherCalls) {
  Profile profile = of_rank(10, 1, 0.1, {Collective::allreduce, {5, 2}, SizeClass::of(1000), "", "native"});
  EXPECT_FALSE(promise_of(table_with("ring", 0.25), groups_of(profile)[0]));
  // Calls that a plan serves already promise no saving.
  profile = of_rank(10, 1, 0.1, {Collective::allreduce, {4, 2}, SizeClass::of(1000), "", "ring"});
  const auto group = groups_of(profile)[0];
  EXPECT_EQ(saving_of(profile, group, *promise_of(table_with("ring", 0.25), group)).at_most_s, 0);
}

TEST(Advice, PricesWhatNobodyMeasured) {
  const Profile profile = of_four_ranks();
  const auto group = groups_of(profile)[0];
  const Network network = Network::uniform({.alpha = 1e-4, .beta = 1e-9});
  const auto promise = priced_promise(network, group);
  ASSERT_TRUE(promise);
  ASSERT_TRUE(promise->price);
  // Two ranks share the port of a host: three messages one after the other.
  EXPECT_NEAR(*promise->price, 3 * (1e-4 + 1000 * 1e-9), 1e-5);
  EXPECT_THAT(promise->evidence, testing::HasSubstr("priced 303 us"));
  const double priced_s = *promise->price * static_cast<double>(group.calls) / 4;
  const Saving saving = saving_of(profile, group, *promise);
  EXPECT_NEAR(saving.at_most_s, 4.0 / 4 - priced_s, 1e-12);
  EXPECT_NEAR(saving.at_least_s, 3.2 / 4 - priced_s, 1e-12);
  // What costs more than the calls take saves nothing.
  const auto dear = priced_promise(Network::uniform({.alpha = 1, .beta = 1e-9}), group);
  EXPECT_EQ(saving_of(profile, group, *dear).at_most_s, 0);
}

TEST(Advice, PricesNothingThatHasNoSize) {
  const Profile profile = of_rank(10, 1, 0.1, {Collective::alltoallv, {4, 2}, {}, "", "native"});
  EXPECT_FALSE(priced_promise(Network::uniform({.alpha = 1e-4, .beta = 1e-9}), groups_of(profile)[0]));
  const Profile sized =
      of_rank(10, 1, 0.1, {Collective::alltoallv, {4, 2}, SizeClass::of(1000), "", "native"});
  EXPECT_TRUE(priced_promise(Network::uniform({.alpha = 1e-4, .beta = 1e-9}), groups_of(sized)[0]));
  // A table with one plan promises it for all sizes, others for those that are known.
  Table table = table_with("ring", 0.25);
  const Plan linear = Plan::of(Collective::alltoallv, "linear");
  for (Measurement& m : table.measurements) m.collective = Collective::alltoallv, m.plan = "linear";
  table.rule_sets = {RuleSet{Collective::alltoallv, {4, 2}, {{0, unlimited, linear}}}};
  EXPECT_TRUE(promise_of(table, groups_of(sized)[0]));
  table.rule_sets[0].rules[0].size_max = 4095;
  EXPECT_TRUE(promise_of(table, groups_of(sized)[0]));
  EXPECT_FALSE(promise_of(table, groups_of(profile)[0]));
}

TEST(Advice, PutsFirstWhereMostTimeIsSpentAtWork) {
  Profile profile = of_four_ranks();  // 4 s at work
  ProfiledKind gathers = sums;
  gathers.collective = Collective::allgather;
  for (int rank = 0; rank < 4; ++rank) profile.merge(of_rank(100, rank == 0 ? 0.5 : 3, 0.001, gathers));
  const auto groups = groups_of(profile);  // 2 s at work, 7.5 of waiting
  EXPECT_EQ(groups[0].collective, Collective::allreduce);
}

}  // namespace
}  // namespace tutti
