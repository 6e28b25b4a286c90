// Who comes late to a program's calls: which calls are kept, what follows from their times, and the
// pattern that is replayed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

#include "choose/profile/arrivals.hpp"
#include "choose/profile/call_sample.hpp"
#include "choose/profile/constants.hpp"

namespace tutti {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr ProfiledKind called_late{Collective::allreduce, {4, 1}, SizeClass::of(8), "", "native"};

// A made-up program's profile: late_s(rank, call) is when a rank comes to a call behind an even
// beat; the operation itself takes 10 microseconds behind the last one, and up to 2 more to leave.
Profile late_profile(int ranks, std::uint64_t calls,
                     const std::function<double(int, std::uint64_t)>& late_s) {
  Profile all;
  std::mt19937 random(5);
  std::vector<CallSample> samples(static_cast<std::size_t>(ranks));
  std::vector<double> spent(samples.size());
  for (std::uint64_t call = 0; call < calls; ++call) {
    double last_s = 0;
    for (int rank = 0; rank < ranks; ++rank) last_s = std::max(last_s, late_s(rank, call));
    for (std::size_t rank = 0; rank < samples.size(); ++rank) {
      const double leaving_s =
          2e-6 * static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
      const double in_call_s = last_s - late_s(static_cast<int>(rank), call) + 10e-6 + leaving_s;
      samples[rank].add(call, static_cast<std::uint64_t>(1e9 * in_call_s));
      spent[rank] += in_call_s;
    }
  }
  ProfiledKind kind = called_late;
  kind.placement.ranks = ranks;
  for (std::size_t rank = 0; rank < samples.size(); ++rank) {
    Profile own{.fingerprint = {"Some MPI 1.0", "some machine"},
                .date = "2026-03-01",
                .ranks = ranks,
                .hosts = 1,
                .seconds = 1,
                .profiled_ranks = 1,
                .calls = {}};
    own.calls[kind].add(calls, 0, spent[rank], 10e-6);
    own.calls[kind].sampled =
        SampledCalls::of_rank(7, static_cast<int>(rank), calls, samples[rank].times(), 1e-9);
    // As ranks tell each other: by the file's text.
    const auto told = parse_profile(to_text(own), "told");
    if (rank == 0)
      all = *told;
    else
      all.merge(*told);
  }
  return all;
}

LateRanks late_in(const Profile& profile) {
  return late_ranks(profile.calls.begin()->second.sampled);
}

double always_third(int rank, std::uint64_t) {
  return rank == 3 ? 2e-3 : 0;
}

double another_late(int rank, std::uint64_t call) {
  return static_cast<int>(std::mt19937(static_cast<unsigned>(call))() % 16) == rank ? 2e-3 : 0;
}

TEST(CallSample, IsOfTheWholeRunAndAlikeOnAllRanks) {
  CallSample one, other;
  for (std::uint64_t call = 0; call < 100'000; ++call) one.add(call, call), other.add(call, 2 * call + 1);
  ASSERT_EQ(one.times().size(), profile::most_sampled);
  std::set<std::uint64_t> calls(one.times().begin(), one.times().end());
  EXPECT_EQ(calls.size(), profile::most_sampled);
  for (std::size_t i = 0; i < one.times().size(); ++i) EXPECT_EQ(other.times()[i], 2 * one.times()[i] + 1);
  // The first call is none of them; half are of each half, more or less.
  EXPECT_FALSE(calls.contains(0));
  const auto early = std::ranges::count_if(calls, [](std::uint64_t call) { return call < 50'000; });
  EXPECT_GE(early, 6);
  EXPECT_LE(early, 26);
}

// Of calls of which every fourth is another a fourth is kept, for no stride meets a program's.
TEST(CallSample, DrawsNoStride) {
  int fourths = 0, all = 0;
  for (std::uint64_t calls = 1000; calls < 1064; ++calls) {
    CallSample sample;
    for (std::uint64_t call = 0; call < calls; ++call) sample.add(call, call);
    for (const std::uint64_t call : sample.times()) fourths += call % 4 == 0, ++all;
  }
  EXPECT_NEAR(static_cast<double>(fourths) / all, 0.25, 0.15);
}

TEST(CallSample, KeepsAllOfAFewCalls) {
  CallSample sample;
  for (std::uint64_t call = 0; call < 5; ++call) sample.add(call, 10 + call);
  EXPECT_THAT(sample.times(), ElementsAre(11, 12, 13, 14));
}

TEST(LateRanks, IsTheOneThatIsAlwaysLate) {
  const LateRanks late = late_in(late_profile(16, 500, always_third));
  ASSERT_EQ(late.same.size(), 1u);
  EXPECT_EQ(late.same[0].rank, 3);
  EXPECT_EQ(late.same[0].share, 1);
  EXPECT_NEAR(late.same[0].late_s, 2e-3, 3e-6);
  EXPECT_EQ(text_of(late), "rank 3 is late in 10 of 10 calls, by 2 ms");
}

TEST(LateRanks, AreAllThatAreAlwaysLate) {
  const LateRanks late = late_in(
      late_profile(16, 500, [](int rank, std::uint64_t) { return rank % 4 == 1 ? 1e-3 * (rank + 1) : 0; }));
  EXPECT_EQ(
      text_of(late),
      "rank 13 is late in 10 of 10 calls, by 14 ms; rank 9 is late in 10 of 10 calls, by 10 ms; rank 5 is "
      "late in 10 of 10 calls, by 6 ms");  // rank 1 is not far behind beside these
}

TEST(LateRanks, IsAnotherEachTime) {
  const LateRanks late = late_in(late_profile(16, 500, another_late));
  EXPECT_EQ(late.share, 1);
  EXPECT_THAT(late.same, testing::IsEmpty());
  EXPECT_THAT(text_of(late), HasSubstr("another rank each time is late in 10 of 10 calls, by 2 ms"));
}

TEST(LateRanks, IsLateInSomeCalls) {
  const LateRanks late = late_in(late_profile(
      4, 30, [](int rank, std::uint64_t call) { return rank == 0 && call % 4 == 0 ? 2e-3 : 0; }));
  ASSERT_EQ(late.same.size(), 1u);
  EXPECT_EQ(late.same[0].rank, 0);
  EXPECT_NEAR(late.share, 0.25, 0.03);
}

// To every other call a rank comes late by much, to the rest some rank by little.
TEST(LateRanks, IsNobodyWhoIsLateByLittleBesideIt) {
  const LateRanks late = late_in(late_profile(4, 400, [](int rank, std::uint64_t call) {
    if (call % 2 == 1) return rank == 1 ? 20e-3 : 0;
    return static_cast<int>(call / 2 % 4) == rank ? 20e-6 : 0;
  }));
  ASSERT_EQ(late.same.size(), 1u);
  EXPECT_EQ(late.same[0].rank, 1);
  EXPECT_NEAR(late.share, 0.5, 0.3);
}

TEST(LateRanks, IsNobodyWhereTimesJustScatter) {
  const Profile profile = late_profile(16, 500, [](int rank, std::uint64_t call) {
    return std::mt19937(static_cast<unsigned>(call) * 31 + static_cast<unsigned>(rank))() % 2 == 0 ? 1e-6 : 0;
  });
  EXPECT_EQ(text_of(late_in(profile)), "");
  EXPECT_THAT(late_calls(profile), testing::IsEmpty());
}

TEST(LateRanks, AreToldOfCallsInWhichWaitingMatters) {
  Profile profile = late_profile(4, 500, always_third);
  const auto told = late_calls(profile);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NEAR(told[0].waiting_s, 500 * 2e-3 * 3 / 4, 0.01);
  EXPECT_EQ(text_of(told[0]),
            "allreduce on 4 ranks, 1 host, 8 to 15: rank 3 is late in 10 of 10 calls, by 2 ms");
  profile.seconds = 10'000;
  EXPECT_THAT(late_calls(profile), testing::IsEmpty());
}

// A rank of which others know nothing, or which made other calls, leaves nothing to be told.
TEST(SampledCalls, AreWholeOrNotKept) {
  const auto sampled = [](std::uint64_t communicator, int rank, std::uint64_t of) {
    const std::vector<std::uint64_t> times(10, 1000);
    return SampledCalls::of_rank(communicator, rank, of, times, 1e-9);
  };
  Profile profile;
  profile.calls[called_late].add(1, 0, 1, 1);
  SampledCalls& known = profile.calls[called_late].sampled;
  const auto settles = [&] {
    Profile copy = profile;
    copy.settle_samples();
    return copy.calls[called_late].sampled.ranks;
  };
  for (int rank = 0; rank < 3; ++rank) known.merge(sampled(5, rank, 11));
  EXPECT_EQ(settles(), 0);
  known.merge(sampled(5, 3, 12));
  EXPECT_EQ(settles(), 0);
  known = {};
  for (int rank = 0; rank < 4; ++rank) known.merge(sampled(5, rank, 11));
  EXPECT_EQ(settles(), 4);
  // Of two communicators the lower one's, whoever of them is heard first.
  known.merge(sampled(6, 0, 99));
  EXPECT_EQ(known.communicator, 5u);
  known.merge(sampled(4, 0, 11));
  EXPECT_EQ(known.communicator, 4u);
  EXPECT_EQ(settles(), 0);
}

TEST(SampledCalls, AreWrittenOfTheKindsThatTakeLongest) {
  Profile profile;
  for (int number = 1; number <= 40; ++number) {
    ProfiledCalls& spent = profile.calls[{Collective::allreduce, {2, 1}, {number}, "", "native"}];
    spent.add(10, 0, number, 0.01);
    const std::vector<std::uint64_t> times(10, 1000);
    for (int rank = 0; rank < 2; ++rank) spent.sampled.merge(SampledCalls::of_rank(1, rank, 11, times, 1e-9));
  }
  profile.settle_samples();
  std::size_t kept = 0;
  for (const auto& [kind, spent] : profile.calls) kept += spent.sampled.ranks > 0;
  EXPECT_EQ(kept, profile::most_kinds_sampled);
  EXPECT_EQ((profile.calls[{Collective::allreduce, {2, 1}, {1}, "", "native"}].sampled.ranks), 0);
}

TEST(SampledCalls, AreBoundedWhateverTheNumberOfRanks) {
  const Profile profile = late_profile(100, 200, always_third);
  const SampledCalls& sampled = profile.calls.begin()->second.sampled;
  EXPECT_EQ(sampled.ranks, 100);
  EXPECT_EQ(sampled.calls.size(), profile::most_sampled);
  for (const SampledCalls::Call& call : sampled.calls) {
    EXPECT_EQ(call.last.size(), profile::most_late_ranks);
    EXPECT_EQ(call.last.front().rank, 3);
  }
  const auto again = parse_profile(to_text(profile), "x");
  ASSERT_TRUE(again);
  EXPECT_EQ(to_text(*again), to_text(profile));
}

TEST(SampledCalls, OfAFileAreCheckedAgainstItsRanks) {
  const std::string text = to_text(late_profile(4, 100, always_third));
  const auto message = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.rfind(from), from.size(), to);
    const auto read = parse_profile(changed, "p.json");
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(message("\"ranks\": 4", "\"ranks\": 5"), HasSubstr("sampled on a communicator of 4"));
  EXPECT_THAT(message("\"longest_s\": 0.002", "\"longest_s\": 0.0001"),
              HasSubstr("longer in a sampled call"));
  EXPECT_THAT(message("\"longest_s\": 0.002", "\"longest_s\": -0.002"), HasSubstr("longest_s"));
}

TEST(ArrivalOfAProfile, HasTheSameRankLate) {
  const ArrivalPattern found =
      arrival_in(late_profile(16, 500, always_third), {Collective::allreduce, 16, 8});
  EXPECT_EQ(found.kind, ArrivalPattern::Kind::recorded);
  for (int draw = 0; draw < 100; ++draw) {
    const std::vector<double> late = lateness(found, 16, draw);
    for (std::size_t rank = 0; rank < late.size(); ++rank)
      EXPECT_NEAR(late[rank], rank == 3 ? 2e-3 : 0, 4e-6);
  }
}

TEST(ArrivalOfAProfile, HasAnotherLateEachTimeWhereItWasSo) {
  const ArrivalPattern found =
      arrival_in(late_profile(16, 500, another_late), {Collective::allreduce, 16, 8});
  std::set<std::ptrdiff_t> late_ones;
  for (int draw = 0; draw < 32; ++draw) {
    const std::vector<double> late = lateness(found, 16, draw);
    late_ones.insert(std::ranges::max_element(late) - late.begin());
    EXPECT_EQ(std::ranges::count_if(late, [](double late_s) { return late_s > 1e-3; }), 1);
    EXPECT_EQ(late, lateness(found, 16, draw));
  }
  EXPECT_GT(late_ones.size(), 5u);
}

// Ranks that a call does not name are as late as all together were.
TEST(ArrivalOfAProfile, SpreadsTheRestAsItWas) {
  const auto evenly = [](int rank, std::uint64_t) { return 1e-3 * rank / 99; };
  const ArrivalPattern found = arrival_in(late_profile(100, 200, evenly), {Collective::allreduce, 100, 8});
  const std::vector<double> late = lateness(found, 100, 3);
  double sum = 0;
  for (const double one : late) sum += one;
  EXPECT_NEAR(sum / 100, 0.5e-3, 1e-5);
  EXPECT_NEAR(late[99], 1e-3, 4e-6);
}

TEST(ArrivalOfAProfile, LetsNobodyComeAfterMoreThanASecond) {
  const auto slow = [](int rank, std::uint64_t call) { return rank == 1 && call == 9 ? 70.0 : 0; };
  const ArrivalPattern found = arrival_in(late_profile(4, 30, slow), {Collective::allreduce, 4, 8});
  double latest_s = 0;
  for (int draw = 0; draw < 32; ++draw)
    latest_s = std::max(latest_s, std::ranges::max(lateness(found, 4, draw)));
  EXPECT_EQ(latest_s, profile::latest_replayed_s);
}

TEST(LateRanks, AreToldOfABoundedNumberOfKinds) {
  Profile profile = late_profile(4, 100, always_third);
  for (const int size : {64, 1024}) {
    ProfiledKind kind = called_late;
    kind.size = SizeClass::of(static_cast<std::size_t>(size));
    profile.calls[kind] = profile.calls.begin()->second;
  }
  const auto sampled = [&] {
    return std::ranges::count_if(profile.calls, [](const auto& of) { return of.second.sampled.ranks > 0; });
  };
  profile.bound_samples(3);
  EXPECT_EQ(sampled(), 3);
  profile.bound_samples(2);
  EXPECT_EQ(sampled(), 2);
  EXPECT_EQ(profile.calls.size(), 3u);
}

}  // namespace
}  // namespace tutti
