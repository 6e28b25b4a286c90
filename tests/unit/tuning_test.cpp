#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "text/document.hpp"
#include "text/file.hpp"
#include "text/size.hpp"
#include "tuning/candidates.hpp"
#include "tuning/guidelines.hpp"
#include "tuning/journal.hpp"
#include "tuning/statistics.hpp"
#include "tuning/table.hpp"
#include "tuning/tuner.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

TEST(Statistics, OrderStatisticsBoundTheMedian) {
  std::vector<double> samples;
  for (int i = 20; i >= 1; --i) samples.push_back(i);
  const Interval interval = median_interval(samples);
  EXPECT_DOUBLE_EQ(interval.middle, 10.5);
  EXPECT_DOUBLE_EQ(interval.low, 6);  // the tables' ranks for n = 20: 6 and 15
  EXPECT_DOUBLE_EQ(interval.high, 15);
}

TEST(Statistics, FewSamplesGiveTheirRange) {
  EXPECT_DOUBLE_EQ(median_interval(std::vector<double>{3}).low, 3);
  const Interval interval = median_interval(std::vector<double>{3, 1, 2});
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 3);
}

TEST(Statistics, TheIntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> distribution(0, 1);  // median 1
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<double> samples(25);
    for (double& sample : samples) sample = distribution(random);
    const Interval interval = median_interval(samples);
    covered += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(covered, 1880);  // 95 % of 2000 less two standard deviations
}

TEST(Statistics, PairsCancelDrift) {
  std::vector<double> native, plan;
  for (int i = 0; i < 30; ++i) {
    native.push_back(1 + i);  // the machine slows down thirtyfold
    plan.push_back(0.9 * (1 + i));
  }
  const Interval ratio = ratio_interval(plan, native);
  EXPECT_NEAR(ratio.middle, 0.9, 1e-12);
  EXPECT_LT(ratio.high, 1);
  EXPECT_DOUBLE_EQ(ratio_interval(native, native).high, 1);
}

TEST(Statistics, TwoModesAreSeenAndOneIsNot) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 1);
  for (const double scatter : {0.01, 0.1, 0.5, 1.0}) {
    std::vector<double> one, two;
    for (int i = 0; i < 200; ++i) {
      one.push_back(1e-3 * std::exp(scatter * normal(random)));
      two.push_back((i % 5 == 0 ? 1e-1 : 1e-3) * std::exp(scatter / 2 * normal(random)));
    }
    EXPECT_FALSE(have_two_modes(one)) << scatter;
    EXPECT_TRUE(have_two_modes(two)) << scatter;
  }
  std::vector<double> tail;  // heavy, but without a gap
  for (int i = 0; i < 200; ++i) tail.push_back(1 / std::pow((i + 1) / 201.0, 0.7));
  EXPECT_FALSE(have_two_modes(tail));
  EXPECT_FALSE(have_two_modes(std::vector<double>{1, 1, 1, 1, 100}));  // too few to be a mode
  EXPECT_FALSE(have_two_modes(std::vector<double>{}));
}

TEST(Statistics, TimesThatNoCurveExplainsAreFew) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  // Native broadcasts of 4 ranks on two processors, 128 bytes to 64 KB.
  EXPECT_THAT(unexplained(std::vector{1.3e-6, 156e-6, 2.7e-6, 3e-6, 1e-3, 9e-6}), ElementsAre(1u, 4u));
  EXPECT_THAT(unexplained(std::vector{1.0, 2.0, 1.5, 3.0, 8.0}), IsEmpty());
  EXPECT_THAT(unexplained(std::vector{9.0, 1.0, 2.0, 3.0}), ElementsAre(0u));
  EXPECT_THAT(unexplained(std::vector<double>{}), IsEmpty());
}

Table small_table() {
  Table table{{"Open MPI 4.1.4", "a processor, 2 cores"}, {1e-6, 1e-9}, {}, {}};
  table.rule_sets.push_back(
      {Collective::bcast, {4, 1}, rules_from(Collective::bcast, {{1024, "native"}, {4096, "binomial"}})});
  table.measurements.push_back(
      {Collective::bcast, 4, 1, 4096, "binomial", {1e-6, 2e-6, 3e-6}, 2e-6, {0.4, 0.5, 0.6}, 20});
  return table;
}

TEST(Table, ReadsBackWhatItWrites) {
  const std::string text = to_text(small_table());
  const auto table = parse_table(text, "t.json");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(to_text(*table), text);
  EXPECT_EQ(table->fingerprint, small_table().fingerprint);
  ASSERT_NE(table->find(Collective::bcast, {4, 1}), nullptr);
  EXPECT_EQ(table->find(Collective::bcast, {4, 2}), nullptr);
  EXPECT_EQ(table->find(Collective::bcast, {5, 1}), nullptr);
  EXPECT_EQ(table->find(Collective::allreduce, {4, 1}), nullptr);
}

std::string table_error(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  text.replace(at, from.size(), to);
  const auto table = parse_table(text, "t.json");
  return table ? "none" : table.error().message;
}

TEST(Table, SaysWhatIsWrongAndWhatToDo) {
  const std::string text = to_text(small_table());
  EXPECT_THAT(table_error(text, "tutti-table-1", "tutti-table-9"),
              HasSubstr("table t.json: has schema \"tutti-table-9\", this Tutti reads \"tutti-table-1\"; use "
                        "the newer Tutti "
                        "that wrote it, or write it anew"));
  EXPECT_THAT(table_error(text, "tutti-table-1", "tutti-network-1"),
              HasSubstr("\"tutti-table-1\"; write it anew"));
  EXPECT_THAT(table_error(text, "\"plan\": \"binomial\"", "\"plan\": \"binomal\""),
              HasSubstr("did you mean 'binomial'?"));
  EXPECT_THAT(table_error(text, "\"bcast\": [", "\"bcats\": ["),
              HasSubstr("no collective 'bcats' (did you mean 'bcast'?)"));
  EXPECT_THAT(table_error(text, "\"exact\"", "\"nearest\""),
              HasSubstr("has policy \"nearest\"; known are \"exact\" and \"between\""));
  EXPECT_THAT(table_error(text, "\"inf\"", "\"lots\""), HasSubstr("a size is a number or \"inf\""));
  EXPECT_THAT(table_error(text, "}", ""), HasSubstr("is not JSON"));
  EXPECT_THAT(parse_table("{}", "t.json").error().message, HasSubstr("is not a table of Tutti"));
  EXPECT_THAT(parse_table("[1, 2]", "t.json").error().message, HasSubstr("is not a table of Tutti"));
}

TEST(Table, MayServeRangesOfRanks) {
  const auto text = read_file(TUTTI_SOURCE_DIR "/tables/lam.json");
  ASSERT_TRUE(text) << text.error().message;
  const auto lam = parse_table(*text, "lam.json");
  ASSERT_TRUE(lam) << lam.error().message;
  const auto plan_of = [&](Collective collective, Placement placement) {
    return lam->find(collective, placement)->find(1000)->plan.text();
  };
  EXPECT_EQ(plan_of(Collective::reduce, {4, 4}), "linear");
  EXPECT_EQ(plan_of(Collective::reduce, {5, 1}), "binomial");
  EXPECT_EQ(plan_of(Collective::allgather, {96, 96}), "via(gather,bcast)[linear,lam]");
  EXPECT_EQ(to_text(parse_table(to_text(*lam), "again").value()), to_text(*lam));
}

TEST(Table, RefusesGridsOfOtherNumbersOfRanks) {
  EXPECT_THAT(table_error(to_text(small_table()), "\"plan\": \"binomial\"", "\"plan\": \"grid(2x3)\""),
              HasSubstr("a grid of 2 x 3 has 6 ranks, not 4"));
}

TEST(Guidelines, AreViolatedWhereAWayByNativeCollectivesSurelyGains) {
  Table table = small_table();
  const auto measured = [&](const char* plan, double ratio) {
    table.measurements.push_back(
        {Collective::bcast, 4, 1, 1024, plan, {1, ratio, 2}, ratio, {ratio, ratio, ratio}, 20});
  };
  measured("native", 1);
  measured("via(scatter,allgather)", 0.97);
  EXPECT_TRUE(violated_guidelines(table).empty());
  measured("via(scatter,allgather)[linear,ring]", 0.5);
  EXPECT_TRUE(violated_guidelines(table).empty());
  measured("via(scatter,allgather)", 0.5);
  ASSERT_EQ(violated_guidelines(table).size(), 1u);
  EXPECT_EQ(violated_guidelines(table).front().mended.plan, "via(scatter,allgather)");
  EXPECT_EQ(violated_guidelines(table).front().native.plan, "native");
}

TEST(Candidates, HaveCompositionsOfEveryKind) {
  const Hosts hosts{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  std::vector<std::string> texts;
  for (const Plan& plan :
       candidates({Collective::bcast, 16, 100000}, {.hosts = hosts}, Network::uniform({1e-4, 1e-8}), {8})
           .measured)
    texts.push_back(plan.text());
  EXPECT_EQ(texts.front(), "native");
  const auto begins = [](const char* head) { return testing::Contains(testing::StartsWith(head)); };
  for (const char* kind : {"circulant", "grid(", "lanes(", "via(scatter,allgather)"})
    EXPECT_THAT(texts, begins(kind));
  EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size());
}

TEST(Candidates, AreFewOfManyAndTheFastestByPrice) {
  const Network network = Network::uniform({1e-4, 1e-8});
  for (const Plan& plan :
       candidates({Collective::allreduce, 12, 1000}, {.hosts = Hosts(12)}, network, {all_candidates, true})
           .measured)
    EXPECT_TRUE(plan.is_native() || plan.keeps_fixed_order(12)) << plan.text();
  const Candidates found = candidates({Collective::allgather, 96, 64}, {.hosts = Hosts(96)}, network, {4});
  EXPECT_GT(found.known, 60u);
  EXPECT_LE(found.measured.size(), found.known * 15 / 100);
  EXPECT_GT(found.least_seconds, 7e-4);  // as many rounds as the fewest there can be
  const auto has = [&](const char* text) {
    return std::any_of(found.measured.begin(), found.measured.end(),
                       [&](const Plan& plan) { return plan.text() == text; });
  };
  EXPECT_TRUE(has("bruck"));  // the fewest rounds
  EXPECT_FALSE(has("ring"));  // 95 of them
}

TEST(Table, BelongsToItsMachine) {
  const Fingerprint table{"Open MPI 4.1.4", "x, 2 cores"};
  EXPECT_FALSE(foreign(table, table));
  EXPECT_FALSE(foreign({"any", "any"}, table));
  EXPECT_FALSE(foreign(table, {"", ""}));
  EXPECT_THAT(foreign(table, {"MPICH 4.0.2", "x, 2 cores"}).value(),
              HasSubstr("was tuned for Open MPI 4.1.4, but this is MPICH 4.0.2"));
  EXPECT_THAT(foreign(table, {"Open MPI 4.1.4", "y"}).value(),
              HasSubstr("was tuned on 'x, 2 cores', but this is 'y'"));
}

std::string plan_at(const std::vector<Rule>& rules, std::size_t size) {
  for (const Rule& rule : rules)
    if (rule.size_min <= size && size <= rule.size_max) return rule.plan.text();
  return "no rule";
}

TEST(Rules, CoverAllSizesAndReachNoFartherThanWasMeasured) {
  const auto rules = rules_from(Collective::bcast, {{1024, "binomial"}, {4096, "native"}, {65536, "linear"}});
  EXPECT_EQ(plan_at(rules, 0), "native");
  EXPECT_EQ(plan_at(rules, 511), "native");
  EXPECT_EQ(plan_at(rules, 512), "binomial");
  EXPECT_EQ(plan_at(rules, 2048), "binomial");
  EXPECT_EQ(plan_at(rules, 2049), "native");
  EXPECT_EQ(plan_at(rules, 16384), "native");
  EXPECT_EQ(plan_at(rules, 16385), "linear");
  EXPECT_EQ(plan_at(rules, 131072), "linear");
  EXPECT_EQ(plan_at(rules, 131073), "native");
  EXPECT_EQ(plan_at(rules, unlimited), "native");
  for (std::size_t i = 1; i < rules.size(); ++i) EXPECT_EQ(rules[i].size_min, rules[i - 1].size_max + 1);
}

TEST(Files, AreWrittenWholeOrNotAtAll) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-files-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "table.json";
  EXPECT_TRUE(write_file(path, "one"));
  EXPECT_TRUE(write_file(path, "two"));
  EXPECT_EQ(read_file(path).value(), "two");
  EXPECT_THAT(write_file(folder / "no" / "table.json", "x").error().message,
              HasSubstr("No such file or directory"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
  EXPECT_THAT(read_file(path).error().message, HasSubstr("can't read"));
}

TEST(Files, OfALinkTheTargetIsReplacedAndDevicesAreWrittenTo) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-links-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "there");
  std::filesystem::create_symlink("there/file", folder / "link");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_TRUE(write_file(folder / "link", "first"));  // the target is not there yet
  EXPECT_TRUE(write_file(folder / "link", "second"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "there/file").value(), "second");
  EXPECT_EQ(replaced_file(folder / "link").value(), (folder / "there/file").string());
  EXPECT_THAT(write_file(folder / "loop", "x").error().message, HasSubstr("symbolic links"));
  EXPECT_THAT(check_output(folder).error().message, HasSubstr("Is a directory"));
  EXPECT_TRUE(check_output(folder / "new"));
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  EXPECT_FALSE(replaced_file("/dev/null"));
  EXPECT_TRUE(write_file("/dev/null", "x"));
  EXPECT_THAT(write_file("/dev/full", "x").error().message, HasSubstr("No space left on device"));
  EXPECT_TRUE(is_standard_output("/dev/stdout"));
  std::filesystem::remove_all(folder);
}

TEST(Documents, WholeNumbersAreWholeAndFit) {
  EXPECT_EQ(whole<int>(nlohmann::json(7)), 7);
  EXPECT_EQ(whole<int>(nlohmann::json(7.0)), 7);
  EXPECT_EQ(whole<std::size_t>(nlohmann::json(5000000000)), 5000000000u);
  for (const char* text : {"5000000000", "-5000000000", "1e30", "7.5", "\"7\"", "null", "[7]"})
    EXPECT_THROW(whole<int>(nlohmann::json::parse(text)), std::invalid_argument) << text;
  EXPECT_THROW(whole<std::size_t>(nlohmann::json(-1)), std::invalid_argument);
}

// A site that is made up: time passes only while something is measured.
class FakeSite final : public Measurer {
 public:
  double now = 0;
  double noise = 0.05;
  std::function<double(const Point&, const std::string&)> seconds;  // true time of a plan
  std::map<Point, int> asked;
  std::set<std::string> failing;  // plans with wrong results
  std::size_t too_large = std::numeric_limits<std::size_t>::max();

  const Site& site() const override { return site_; }
  Site& mutable_site() { return site_; }
  Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort effort) override {
    EXPECT_TRUE(plans.front().is_native() || site_.simulated);
    ++asked[point];
    for (const Plan& plan : plans)
      if (failing.contains(plan.text())) return failure(plan.text() + " gives a wrong result");
    Samples samples{1, std::vector<std::vector<double>>(plans.size())};
    if (point.size > too_large) samples.left_out = std::to_string(point.size) + " bytes are too many";
    if (point.size > too_large) return samples;
    const double begin = now;
    for (int repetition = 0;
         repetition < effort.repetitions && (repetition == 0 || now - begin < effort.seconds); ++repetition) {
      const double drift = 1 + 0.3 * std::sin(now * 7);
      for (std::size_t i = 0; i < plans.size(); ++i) {
        samples.seconds[i].push_back(seconds(point, plans[i].text()) * drift *
                                     (1 + noise * normal_(random_) * normal_(random_)));
        now += samples.seconds[i].back();
      }
    }
    return samples;
  }

 private:
  Site site_{{"fake", "fake"}, 4, {0, 0, 0, 0}, false};
  std::mt19937 random_{1};
  std::normal_distribution<double> normal_{0, 1};
};

class TunerTest : public testing::Test {
 protected:
  FakeSite site;
  TuningHooks hooks;
  TuningRequest request{
      {Called{Collective::bcast}}, {4}, {1024, 16384, 262144}, 60, Network::uniform({1e-6, 1e-9})};
  TunerTest() {
    hooks.clock = [this] { return site.now; };
    // binomial gains below 50000 bytes, scatter_allgather above; linear is as good as native.
    site.seconds = [](const Point& point, const std::string& plan) {
      if (plan == "binomial") return point.size < 50000 ? 0.5e-3 : 2e-3;
      if (plan == "scatter_allgather") return point.size < 50000 ? 2e-3 : 0.5e-3;
      return plan == "native" || plan == "linear" ? 1e-3 : 3e-3;
    };
  }
};

TEST_F(TunerTest, LeavesOutWhatGivesWrongResults) {
  site.failing = {"binomial"};
  request.sizes = {1024};
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->left_out, std::vector<std::string>{"binomial gives a wrong result"});
  EXPECT_GT(result->table.measurements.size(), 1u);
  for (const Measurement& measurement : result->table.measurements) EXPECT_NE(measurement.plan, "binomial");
  // Where native itself fails nothing can be tuned.
  site.failing = {"native"};
  const auto failed = tune(request, site, {}, hooks);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "native gives a wrong result");
}

TEST_F(TunerTest, FindsTheBestPlansAndRefinesTheBorder) {
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->unmeasured, 0u);
  const RuleSet* rules = result->table.find(Collective::bcast, {4, 1});
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(plan_at(rules->rules, 1024), "binomial");
  EXPECT_EQ(plan_at(rules->rules, 262144), "scatter_allgather");
  // The border lies within a factor of 1.5 of the true one.
  EXPECT_EQ(plan_at(rules->rules, 33000), "binomial");
  EXPECT_EQ(plan_at(rules->rules, 75000), "scatter_allgather");
  EXPECT_GT(site.asked.size(), 3u);
  EXPECT_LE(site.now, request.budget_s);
}

TEST_F(TunerTest, KeepsNativeWhereNoGainIsCertain) {
  // One plan is equally fast, one better by less than a machine changes from day to day.
  site.seconds = [](const Point&, const std::string& plan) {
    return plan == "linear" ? 0.99e-3 : plan == "native" || plan == "binomial" ? 1e-3 : 1.02e-3;
  };
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result);
  for (const std::size_t size : {1024u, 16384u, 262144u})
    EXPECT_EQ(plan_at(result->table.find(Collective::bcast, {4, 1})->rules, size), "native");
}

TEST_F(TunerTest, MeasuresAgainWhatNoCurveExplainsAndConcludesNothing) {
  request.sizes = {256, 1024, 4096, 16384, 65536};
  bool stays = false;
  site.seconds = [&](const Point& point, const std::string& plan) {
    const double usual = plan == "binomial" ? 0.5e-3 : 1e-3;
    const bool odd = point.size == 1024 && (stays || site.asked[point] <= 2);
    return odd ? 50 * usual : usual;
  };
  auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result);
  EXPECT_EQ(plan_at(result->table.find(Collective::bcast, {4, 1})->rules, 1024), "binomial");
  for (const Measurement& m : result->table.measurements) EXPECT_FALSE(m.unstable) << m.size;
  stays = true;
  site.now = 0;
  result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result);
  EXPECT_EQ(plan_at(result->table.find(Collective::bcast, {4, 1})->rules, 1024), "native");
  EXPECT_EQ(plan_at(result->table.find(Collective::bcast, {4, 1})->rules, 16384), "binomial");
  for (const Measurement& m : result->table.measurements) EXPECT_EQ(m.unstable, m.size == 1024) << m.size;
  const auto again = parse_table(to_text(result->table), "again");
  ASSERT_TRUE(again);
  EXPECT_EQ(to_text(*again), to_text(result->table));
}

TEST_F(TunerTest, StopsWithinTheBudgetAndSaysWhatIsMissing) {
  request.budget_s = 0.2;
  site.seconds = [](const Point& point, const std::string&) {
    return 1e-6 * static_cast<double>(point.size);
  };
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_GT(result->unmeasured, 0u);
  EXPECT_LT(site.now, 1.0);
}

TEST_F(TunerTest, SaysBeforehandWhatTakesTooLong) {
  request.sizes = {8, 1 << 30};
  request.network = Network::uniform({1e-6, 1e-8});  // ten seconds for a gigabyte
  request.budget_s = 20;
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ((site.asked.count({Collective::bcast, 4, 1 << 30})), 0u);
  ASSERT_EQ(result->left_out.size(), 1u);
  EXPECT_THAT(result->left_out[0],
              HasSubstr("bcast on 4 ranks, 1G: by its price even the fastest plan takes"));
}

TEST_F(TunerTest, SimulatesNothingThatWouldEndTooLate) {
  site.mutable_site().simulated = true;
  site.noise = 0;
  request.sizes = {1024, 16384};
  site.seconds = [](const Point&, const std::string& plan) { return plan == "native" ? 1.0 : 5.0; };
  request.budget_s = 20;
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_LE(site.now, 22);
  EXPECT_GE(result->table.measurements.size(), 2u);
}

TEST_F(TunerTest, LeavesOutWhatIsTooLarge) {
  site.too_large = 100000;
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->left_out, testing::ElementsAre("262144 bytes are too many"));
  for (const Measurement& m : result->table.measurements) EXPECT_LE(m.size, 100000u);
}

TEST_F(TunerTest, RefusesABudgetTooSmallForAnything) {
  request.budget_s = 1e-9;
  site.now = 1;  // starting the ranks took longer
  const auto result = tune(request, site, {}, hooks);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("too small to measure even one of 3 points; give more"));
}

TEST_F(TunerTest, ResumesWithoutMeasuringAgain) {
  std::vector<TunedPoint> kept;
  hooks.keep = [&](const TunedPoint& point) { kept.push_back(point); };
  const auto first = tune(request, site, {}, hooks);
  ASSERT_TRUE(first);
  site.asked.clear();
  site.now = 0;
  const auto second = tune(request, site, kept, hooks);
  ASSERT_TRUE(second);
  EXPECT_TRUE(site.asked.empty());
  EXPECT_EQ(to_text(first->table), to_text(second->table));
}

TEST_F(TunerTest, SimulatedTimesNeedOneRepetition) {
  site.mutable_site().simulated = true;
  site.noise = 0;
  request.sizes = {1024};
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result);
  // Every plan is asked for once, and by itself.
  EXPECT_EQ((site.asked[{Collective::bcast, 4, 1024}]), static_cast<int>(result->table.measurements.size()));
  for (const Measurement& m : result->table.measurements) EXPECT_EQ(m.repetitions, 1);
}

TEST(Journal, KeepsWhatWasMeasuredAndForgivesACutLine) {
  const auto folder = std::filesystem::temp_directory_path() / ("tutti-journal-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const Journal journal(folder / "table.json");
  const Fingerprint here{"Open MPI 4.1.4", "x"};
  const TunedPoint point{{Collective::bcast, 4, 1024},
                         {{Collective::bcast, 4, 1, 1024, "native", {1, 2, 3}, 2, {1, 1, 1}, 9}},
                         "native"};
  EXPECT_TRUE(journal.resume(here).empty());
  ASSERT_TRUE(journal.begin(here, {}));
  journal.keep(point);
  journal.keep(point);
  std::ofstream(journal.path(), std::ios::app) << R"({"operation":"bcast","ra)";
  const auto resumed = journal.resume(here);
  ASSERT_EQ(resumed.size(), 2u);
  EXPECT_EQ(resumed[0].point, point.point);
  EXPECT_EQ(resumed[0].measurements[0].seconds.middle, 2);
  EXPECT_TRUE(journal.resume({"MPICH 4.0.2", "x"}).empty());
  journal.remove();
  EXPECT_FALSE(std::filesystem::exists(journal.path()));
  std::filesystem::remove_all(folder);
}

TEST(LowerBound, IsTheLargerOfRoundsAndBytes) {
  const Hockney link{1e-4, 8e-8};
  EXPECT_DOUBLE_EQ(lower_bound(Collective::bcast, 96, 512000, link), 512000 * 8e-8);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::bcast, 96, 1, link), 7e-4);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::allgather, 96, 10240, link), 95 * 10240 * 8e-8);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::allreduce, 4, 1000000, link), 1.5 * 1000000 * 8e-8);
  EXPECT_DOUBLE_EQ(lower_bound(Collective::allreduce, 1, 1000000, link), 0);
}

}  // namespace
}  // namespace tutti
