// What a comparison of two files says of their calls, and what it refuses to compare.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "base/file.hpp"
#include "base/json.hpp"
#include "tools/report/before_after_text.hpp"

namespace tutti {
using namespace tools;
namespace {

using testing::HasSubstr;

constexpr double threshold = 1.05;

// A folder of this process, for tests run beside each other, as long as it lives.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tutti-before-after-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::string written(const std::string& name, const std::string& text) {
  static const Folder folder;
  const std::string path = folder.path / name;
  EXPECT_TRUE(write_file(path, text));
  return path;
}

// A profile of allreduces of 8 bytes on four ranks, each with 200 calls of that time.
Profile profile_of(double call_s, std::uint64_t calls = 800) {
  const auto all = static_cast<double>(calls);
  Profile profile{
      .fingerprint = {"Some MPI 1.0", "some machine"}, .date = "2026-03-01", .ranks = 4, .hosts = 1};
  profile.seconds = 10;
  profile.profiled_ranks = 4;
  profile.calls[{Collective::allreduce, {4, 1}, SizeClass::of(8), "", "native"}] = {
      calls, 8 * all, call_s * all, 0.95 * call_s, 1.05 * call_s, 0.9 * call_s, 4};
  return profile;
}

Result<BeforeAfter> compared(const Profile& before, const Profile& after) {
  return compare(written("one.json", to_text(before)), written("other.json", to_text(after)), threshold);
}

Measurement measured(const std::string& plan, double seconds, double ratio) {
  return {.collective = Collective::bcast,
          .ranks = 4,
          .hosts = 1,
          .size = 1024,
          .plan = plan,
          .seconds = {seconds * 0.9, seconds, seconds * 1.1},
          .mean = seconds,
          .ratio_to_native = {ratio, ratio, ratio},
          .repetitions = 40};
}

// A table whose one range of sizes has the plan that is named, for any hosts and up to 64 ranks.
Table table_of_ranges(const std::string& plan, double native_s, double plan_s) {
  Table table{.fingerprint = {"Some MPI 1.0", "some machine"}, .network = {1e-6, 1e-9}};
  table.rule_sets.push_back({Collective::bcast,
                             {2, RuleSet::any_hosts},
                             {{0, unlimited, make_plan(Collective::bcast, plan).value()}},
                             64});
  table.measurements = {measured("native", native_s, 1), measured("binomial", plan_s, plan_s / native_s)};
  return table;
}

TEST(BeforeAfter, IsSureWhereEvenTheShortestCallTakesLongerThanTheSlowestRankDid) {
  const auto result = compared(profile_of(1e-3), profile_of(1.3e-3));
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->calls.size(), 1u);
  EXPECT_EQ(result->calls[0].calls, "allreduce on 4 ranks, 1 host, 8 to 15");
  EXPECT_EQ(result->calls[0].change, Change::surely_slower);
  EXPECT_NEAR(result->calls[0].ratio.low, 0.9 * 1.3 / 1.05, 1e-9);
  EXPECT_NEAR(*result->calls[0].of_run, 200 * 0.3e-3 / 10, 1e-9);
  EXPECT_EQ(result->too_slow().size(), 1u);
  EXPECT_THAT(verdict_text(*result), HasSubstr("SLOWER: 1 of 1 kinds of calls"));
}

TEST(BeforeAfter, IsNotSureOfLessNorOfFewCalls) {
  const auto little = compared(profile_of(1e-3), profile_of(1.1e-3));
  EXPECT_EQ(little->calls[0].change, Change::perhaps_slower);
  EXPECT_TRUE(little->too_slow().empty());
  EXPECT_EQ(compared(profile_of(1e-3), profile_of(2e-3, 4 * 6))->calls[0].change, Change::perhaps_slower);
  EXPECT_EQ(compared(profile_of(1e-3), profile_of(2e-3, 4 * 7))->calls[0].change, Change::surely_slower);
  EXPECT_EQ(compared(profile_of(2e-3), profile_of(1e-3))->calls[0].change, Change::surely_faster);
  EXPECT_EQ(compared(profile_of(1e-3), profile_of(1.01e-3))->calls[0].change, Change::alike);
}

TEST(BeforeAfter, ConcludesNothingFromTimesThatTheClockDidNotSee) {
  for (const auto& [before, after] : {std::pair{0.0, 1e-3}, {1e-3, 0.0}, {0.0, 0.0}}) {
    const auto result = compared(profile_of(before), profile_of(after));
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->too_slow().empty());
    EXPECT_NE(result->calls[0].change, Change::surely_slower);
    EXPECT_NE(result->calls[0].change, Change::surely_faster);
    EXPECT_FALSE(comparison_markdown(to_json(*result)).empty());
  }
}

TEST(BeforeAfter, CountsOtherFunctionsWithoutBeingSureOfThem) {
  Profile before = profile_of(1e-3), after = profile_of(1e-3);
  before.functions["MPI_Send"] = {100, 1e6, 1e-2};
  after.functions["MPI_Send"] = {100, 1e6, 4e-2};
  after.functions["MPI_Probe"] = {1, 0, 1};
  const auto result = compared(before, after);
  ASSERT_EQ(result->calls.size(), 2u);
  EXPECT_EQ(result->calls[0].calls, "MPI_Send");
  EXPECT_EQ(result->calls[0].change, Change::perhaps_slower);
  EXPECT_TRUE(std::isinf(result->calls[0].ratio.high));
  EXPECT_TRUE(to_json(*result)["calls"][0]["ratio"][2].is_null());
  EXPECT_EQ(result->after.alone, std::vector<std::string>{"MPI_Probe"});
}

TEST(BeforeAfter, OfTablesIsOfNativeAndOfWhatServes) {
  const std::string before = written("before.json", to_text(table_of_ranges("native", 4e-5, 2e-5)));
  const std::string after = written("after.json", to_text(table_of_ranges("binomial", 6e-5, 2e-5)));
  const auto result = compare(before, after, threshold);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->calls.size(), 2u);
  EXPECT_EQ(named(result->calls[0]), "bcast on 4 ranks, 1 host, 1K (native, then binomial)");
  EXPECT_EQ(result->calls[0].change, Change::surely_faster);
  EXPECT_EQ(named(result->calls[1]), "bcast on 4 ranks, 1 host, 1K (native)");
  EXPECT_EQ(result->calls[1].change, Change::surely_slower);
  const auto same = compare(before, before, threshold);
  ASSERT_EQ(same->calls.size(), 1u);  // where native stays it is compared once
  EXPECT_EQ(same->calls[0].change, Change::alike);
}

TEST(BeforeAfter, ConcludesNothingFromUnstableMeasurements) {
  Table table = table_of_ranges("native", 4e-5, 2e-5);
  const std::string before = written("stable.json", to_text(table));
  table = table_of_ranges("native", 9e-5, 2e-5);
  for (Measurement& m : table.measurements) m.unstable = true;
  const auto result = compare(before, written("unstable.json", to_text(table)), threshold);
  EXPECT_EQ(result->calls[0].change, Change::perhaps_slower);
}

TEST(BeforeAfter, SaysWhatDiffersInTheMachine) {
  Profile other = profile_of(1e-3);
  other.fingerprint.mpi = "Some MPI 2.0";
  const auto result = compared(profile_of(1e-3), other);
  EXPECT_EQ(different_places(*result), std::vector<std::string>{"mpi: Some MPI 1.0 / Some MPI 2.0"});
}

TEST(BeforeAfter, RefusesWhatCanNotBeCompared) {
  const auto error = [](const std::string& before, const std::string& after) {
    const auto result = compare(before, after, threshold);
    return result ? std::string("none") : result.error().message;
  };
  const std::string profile = written("profile.json", to_text(profile_of(1e-3)));
  const std::string table = written("table.json", to_text(table_of_ranges("native", 1e-5, 1e-5)));
  EXPECT_THAT(error(profile, table),
              testing::AllOf(HasSubstr("profile.json (profile)"), HasSubstr("table.json (table)")));
  EXPECT_THAT(error(written("empty.json", ""), table), HasSubstr("empty.json is not JSON"));
  EXPECT_THAT(error(table, written("none.json", "[]")), HasSubstr("none.json holds no calls"));
  EXPECT_THAT(error(written("newer.json", R"({"$schema": "tutti-profile-9"})"), profile),
              HasSubstr("newer Tutti"));
  EXPECT_THAT(error(testing::TempDir() + "nowhere.json", profile), HasSubstr("can't read"));
  Profile idle = profile_of(1e-3);
  idle.calls.clear();
  EXPECT_THAT(error(profile, written("idle.json", to_text(idle))), HasSubstr("idle.json holds no calls"));
  Profile larger = profile_of(1e-3);
  larger.calls.clear();
  larger.calls[{Collective::allreduce, {8, 2}, SizeClass::of(8), "", "native"}] = {8, 64, 1e-3, 1, 1, 1, 8};
  EXPECT_THAT(error(profile, written("larger.json", to_text(larger))),
              testing::AllOf(HasSubstr("no calls in common"), HasSubstr("on 8 ranks")));
  Table imported = table_of_ranges("native", 1e-5, 1e-5);
  imported.measurements.clear();
  EXPECT_THAT(error(written("imported.json", to_text(imported)), table), HasSubstr("imported ones do not"));
}

}  // namespace
}  // namespace tutti
