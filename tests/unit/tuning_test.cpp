#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "choose/offline/journal.hpp"
#include "choose/offline/tuner.hpp"
#include "choose/planner/candidates.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

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

// Rows of a grid are neighbours by number: where near ranks are not, they are made so.
TEST(Candidates, HaveGridsOnNearRanksWhereRanksLieScattered) {
  const auto grids_on_near_ranks = [](bool scattered) {
    Network network = Network::uniform({1e-5, 1e-8});
    for (int group = 0; group < 4; ++group) network.groups.push_back({.out = 1e-8, .in = 1e-8});
    Hosts hosts;
    for (Rank rank = 0; rank < 16; ++rank) {
      hosts.push_back(rank);
      network.group_of.push_back(scattered ? rank % 4 : rank / 4);
    }
    network.hosts = hosts;
    std::map<std::string, int> heads;
    for (const Plan& plan :
         candidates({Collective::reduce_scatter, 16, 100000}, {.hosts = hosts}, network, {all_candidates})
             .measured)
      for (const char* head : {"near(grid(4x4)", "near(grid(group)", "grid(group)"})
        heads[head] += plan.text().starts_with(head);
    return heads;
  };
  auto scattered = grids_on_near_ranks(true), in_order = grids_on_near_ranks(false);
  EXPECT_GE(scattered["near(grid(4x4)"], 1);
  EXPECT_EQ(scattered["near(grid(group)"], 0) << "which goes by the network already";
  EXPECT_GE(scattered["grid(group)"], 1);
  EXPECT_EQ(in_order["near(grid(4x4)"], 0);
}

// A torus of 2x4x4 whose hosts come in another order, but for the last `missing` of them.
Network on_torus(int missing, bool scattered) {
  Network network{.links = {Link::swift({.alpha = 1e-6, .beta = 1e-9})},
                  .ports = PortUse::shared,
                  .width = {5, 5, 5},
                  .torus = Torus{.sides = {4, 4, 2}, .seconds_per_byte = 1e-9, .hop = 1e-6}};
  for (int host = 0; host < 32 - missing; ++host) {
    const int place = scattered ? host * 11 % 32 : host;
    network.torus->coordinates.push_back({place % 4, place / 4 % 4, place / 16});
    network.hosts.push_back(host);
  }
  return network;
}

TEST(Candidates, GoAlongTheSidesOfATorus) {
  const auto texts = [](const Network& network, Collective collective) {
    std::set<std::string> all;
    const auto ranks = static_cast<int>(network.hosts.size());
    for (const Plan& plan :
         candidates({collective, ranks, 100000}, {.hosts = network.hosts}, network, {all_candidates})
             .measured)
      EXPECT_TRUE(all.insert(plan.text()).second) << plan.text();
    return all;
  };
  for (const Collective collective :
       {Collective::allreduce, Collective::bcast, Collective::reduce_scatter, Collective::allgather}) {
    const auto scattered = texts(on_torus(0, true), collective);
    EXPECT_TRUE(scattered.contains("near(grid(2x4x4)[bine,bine,bine])")) << name(collective);
    EXPECT_TRUE(texts(on_torus(0, false), collective).contains("grid(2x4x4)[bine,bine,bine]"))
        << name(collective);
    for (const std::string& text : texts(on_torus(1, true), collective))
      EXPECT_EQ(text.find("2x4x4"), std::string::npos) << "a place has no host";
  }
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

std::string plan_at(const std::vector<Rule>& rules, std::size_t size) {
  for (const Rule& rule : rules)
    if (rule.size_min <= size && size <= rule.size_max) return rule.plan.text();
  return "no rule";
}

TEST(Rules, CoverAllSizesAndReachNoFartherThanWasMeasured) {
  const auto rules = rules_from(Collective::bcast, {{1024, Plan::of(Collective::bcast, "binomial")},
                                                    {4096, Plan::native(Collective::bcast)},
                                                    {65536, Plan::of(Collective::bcast, "linear")}});
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

TEST_F(TunerTest, RefinesBetweenSizesOfFewBytes) {
  request.sizes = {16, 32};
  site.seconds = [](const Point& point, const std::string& plan) {
    return plan == "native" ? 1e-3 : plan == "binomial" && point.size < 20 ? 0.7e-3 : 3e-3;
  };
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ((site.asked.count({Collective::bcast, 4, 24})), 1u);
}

// Between one byte and two there is nothing, which is no reason to leave other gaps as they are.
TEST_F(TunerTest, RefinesWhatCanBe) {
  request.sizes = {1, 2, 1024, 1792};
  site.seconds = [](const Point& point, const std::string& plan) {
    const bool gains = plan == "binomial" && (point.size == 1 || point.size > 1500);
    return plan == "native" ? 1e-3 : gains ? 0.7e-3 : 3e-3;
  };
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ((site.asked.count({Collective::bcast, 4, 1352})), 1u);
}

// Calls of seconds: what a few runs show may be chance, and where there is time more are made.
TEST_F(TunerTest, ConcludesNothingFromAFewRuns) {
  request.sizes = {1024};
  site.seconds = [](const Point&, const std::string& plan) {
    return plan == "native" ? 10.0 : plan == "binomial" ? 2.0 : 50.0;
  };
  const auto plan_within = [&](double budget_s) {
    site.now = 0;
    request.budget_s = budget_s;
    const auto result = tune(request, site, {}, hooks);
    EXPECT_TRUE(result);
    return plan_at(result->table.find(Collective::bcast, {4, 1})->rules, 1024);
  };
  EXPECT_EQ(plan_within(60), "native");
  EXPECT_EQ(plan_within(10'000), "binomial");
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

// Calls of which each rank knows its own size only have plans by sizes, for ranks agree on one.
TEST_F(TunerTest, HasPlansBySizesWhereRanksKnowTheirOwn) {
  for (const Collective collective : {Collective::alltoallv, Collective::gatherv}) {
    const std::string brief = collective == Collective::gatherv ? "binomial" : "bruck";
    bool is_brief = false;
    request.operations = {Called{collective}};
    request.exhaustive = true;
    site.seconds = [&](const Point& point, const std::string& plan) {
      if (plan == brief) return is_brief || point.size < 50000 ? 0.5e-3 : 2e-3;
      return plan == "linear" && !is_brief && point.size > 50000 ? 0.5e-3 : 1e-3;
    };
    site.now = 0;
    auto result = tune(request, site, {}, hooks);
    ASSERT_TRUE(result) << result.error().message;
    const RuleSet* const set = result->table.find(collective, {4, 1});
    ASSERT_TRUE(set && set->goes_by_size());
    EXPECT_EQ(plan_at(set->rules, 1024), brief);
    EXPECT_EQ(plan_at(set->rules, 262144), "linear");
    EXPECT_EQ(plan_at(set->rules, 100 * 262144), "native");
    EXPECT_EQ(to_text(parse_table(to_text(result->table), "again").value()), to_text(result->table));
    // What is best everywhere needs no agreement.
    is_brief = true;
    site.now = 0;
    result = tune(request, site, {}, hooks);
    ASSERT_TRUE(result) << result.error().message;
    const RuleSet* const one = result->table.find(collective, {4, 1});
    ASSERT_TRUE(one && !one->goes_by_size());
    EXPECT_EQ(plan_at(one->rules, 100 * 262144), brief);
  }
}

TEST_F(TunerTest, KeepsWhatItCannotMeasureAgain) {
  request.sizes = {256, 1024, 4096, 16384, 65536};
  site.seconds = [&](const Point& point, const std::string& plan) {
    return (plan == "binomial" ? 0.5e-3 : 1e-3) * (point.size == 1024 ? 50 : 1);
  };
  std::size_t kept = 0;
  hooks.keep = [&](const TunedPoint&) {
    if (++kept == request.sizes.size()) site.too_large = 0;
  };
  const auto result = tune(request, site, {}, hooks);
  ASSERT_TRUE(result);
  EXPECT_EQ(plan_at(result->table.find(Collective::bcast, {4, 1})->rules, 1024), "native");
  EXPECT_TRUE(std::ranges::any_of(result->table.measurements,
                                  [](const Measurement& m) { return m.size == 1024 && m.unstable; }));
  EXPECT_THAT(result->left_out, testing::Not(testing::Contains(HasSubstr("1024"))));
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
                         Plan::native(Collective::bcast)};
  EXPECT_TRUE(journal.resume(here).empty());
  ASSERT_TRUE(journal.begin(here, {}));
  EXPECT_TRUE(journal.keep(point));
  EXPECT_TRUE(journal.keep(point));
  std::ofstream(journal.path(), std::ios::app) << R"({"operation":"bcast","ra)";
  const auto resumed = journal.resume(here);
  ASSERT_EQ(resumed.size(), 2u);
  EXPECT_EQ(resumed[0].point, point.point);
  EXPECT_EQ(resumed[0].measurements[0].seconds.middle, 2);
  EXPECT_TRUE(journal.resume({"MPICH 4.0.2", "x"}).empty());
  // Nor do points mean the same on other terms.
  const std::string table = folder / "table.json";
  for (const TuningTerms& terms :
       {TuningTerms{.fixed_order = true}, TuningTerms{.exhaustive = true},
        TuningTerms{.arrival = "uniform:1ms"}, TuningTerms{.lengths = BlockLengths::degenerate},
        TuningTerms{.network = "{}"}}) {
    const Journal other(table, terms);
    ASSERT_TRUE(journal.begin(here, {point}));
    EXPECT_EQ(journal.resume(here).size(), 1u);
    EXPECT_TRUE(other.resume(here).empty());
    ASSERT_TRUE(other.begin(here, {point}));
    EXPECT_EQ(other.resume(here).size(), 1u);
    EXPECT_TRUE(journal.resume(here).empty());
    TuningTerms changed = terms;
    changed.arrival += "2";
    EXPECT_TRUE(Journal(table, changed).resume(here).empty());
  }
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
