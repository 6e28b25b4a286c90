// How decisions of a table stand when they are measured again, and what a repair changes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "choose/offline/validation.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

// Four ranks on two hosts where each plan takes what is said, a little more every other time.
class SteadySite final : public Measurer {
 public:
  std::map<std::string, double> seconds;
  bool has_time = true;

  const Site& site() const override { return site_; }
  Result<Samples> measure(const Point&, const std::vector<Plan>& plans, Effort effort) override {
    Samples samples{.hosts = 2, .seconds = {}};
    for (const Plan& plan : plans) {
      std::vector<double> times;
      for (int i = 0; has_time && i < std::min(effort.repetitions, 20); ++i)
        times.push_back(seconds.at(plan.text()) * (i % 2 == 0 ? 1 : 1.01));
      samples.seconds.push_back(std::move(times));
    }
    return samples;
  }

 private:
  Site site_{.fingerprint = {"Some MPI 1.0", "some machine"}, .ranks = 4, .hosts = {0, 0, 1, 1}};
};

constexpr Measurer::Effort effort{.repetitions = 20, .seconds = 1};

Measurement measured(std::size_t size, const std::string& plan, double seconds, double ratio, int ranks = 4) {
  return {.collective = Collective::bcast,
          .ranks = ranks,
          .hosts = 2,
          .size = size,
          .plan = plan,
          .seconds = {seconds, seconds, seconds},
          .mean = seconds,
          .ratio_to_native = {ratio, ratio, ratio},
          .repetitions = 40};
}

// Native up to 64 bytes, binomial above, with rules for any more ranks behind it.
Table some_table() {
  const auto plan = [](const char* text) { return make_plan(Collective::bcast, text).value(); };
  Table table{.fingerprint = {"Some MPI 1.0", "some machine"}, .network = {1e-6, 1e-9}};
  table.rule_sets.push_back(
      {Collective::bcast, {4, 2}, {{0, 64, plan("native")}, {65, unlimited, plan("binomial")}}});
  table.rule_sets.push_back(
      {Collective::bcast, {5, RuleSet::any_hosts}, {{0, unlimited, plan("chain")}}, 64});
  table.measurements = {measured(1024, "native", 4e-5, 1),    measured(1024, "binomial", 2e-5, 0.5),
                        measured(1024, "linear", 3e-5, 0.75), measured(64, "native", 1e-5, 1),
                        measured(64, "linear", 2e-5, 2),      measured(64, "native", 1e-5, 1, 8),
                        measured(64, "chain", 1e-5, 0.5, 8)};
  return table;
}

Validated validated(std::size_t size, std::map<std::string, double> seconds,
                    int repetitions = effort.repetitions) {
  SteadySite site;
  site.seconds = std::move(seconds);
  for (const Decision& decision : decisions_of(some_table()))
    if (decision.point.size == size && decision.placement() == Placement{4, 2})
      return validate(decision, site, {.repetitions = repetitions, .seconds = effort.seconds}).value();
  throw std::logic_error("no such decision");
}

TEST(Validation, IsOfNativeOfWhatWasChosenAndOfTheRunnerUp) {
  const auto decisions = decisions_of(some_table());
  ASSERT_EQ(decisions.size(), 3u);  // in ascending sizes
  const auto texts = [&](std::size_t i) {
    std::vector<std::string> all;
    for (const Plan& plan : decisions[i].plans()) all.push_back(plan.text());
    return all;
  };
  EXPECT_THAT(texts(0), testing::ElementsAre("native", "linear"));
  EXPECT_THAT(texts(1), testing::ElementsAre("native", "binomial", "linear"));
  EXPECT_THAT(texts(2), testing::ElementsAre("native", "chain"));  // by rules for any hosts
}

TEST(Validation, HoldsWhereTheGainIsSeenAgain) {
  const Validated one = validated(1024, {{"native", 8e-5}, {"binomial", 4e-5}, {"linear", 6e-5}});
  EXPECT_EQ(one.standing, Standing::holds);
  EXPECT_THAT(one.why, HasSubstr("binomial takes 0.500"));
  EXPECT_EQ(one.measured.size(), 3u);
  EXPECT_EQ(validated(64, {{"native", 1e-5}, {"linear", 2e-5}}).standing, Standing::holds);
}

TEST(Validation, HasDriftedWhereNativeOrTheRunnerUpSurelyIsFaster) {
  EXPECT_EQ(validated(1024, {{"native", 4e-5}, {"binomial", 5e-5}, {"linear", 6e-5}}).standing,
            Standing::drifted);
  const Validated other = validated(1024, {{"native", 4e-5}, {"binomial", 3e-5}, {"linear", 2e-5}});
  EXPECT_EQ(other.standing, Standing::drifted);
  EXPECT_THAT(other.why, HasSubstr("linear takes 0.667"));
  EXPECT_EQ(validated(64, {{"native", 1e-5}, {"linear", 0.5e-5}}).standing, Standing::drifted);
}

TEST(Validation, IsUnsureWhereAFewRunsSpeakAgainstADecision) {
  const std::map<std::string, double> native_ahead{{"native", 4e-5}, {"binomial", 5e-5}, {"linear", 6e-5}};
  const Validated once = validated(1024, native_ahead, 1);
  EXPECT_EQ(once.standing, Standing::unsure);
  EXPECT_THAT(once.why, HasSubstr("but of 1 run only"));
  EXPECT_EQ(validated(64, {{"native", 1e-5}, {"linear", 0.5e-5}}, 5).standing, Standing::unsure);
  EXPECT_EQ(validated(1024, native_ahead, 6).standing, Standing::drifted);
}

TEST(Validation, IsUnsureWhereNoGainIsSeenOrNothingWasMeasured) {
  EXPECT_EQ(validated(1024, {{"native", 4e-5}, {"binomial", 4e-5}, {"linear", 4e-5}}).standing,
            Standing::unsure);
  SteadySite site;
  site.has_time = false;
  const Validated none = validate(decisions_of(some_table()).front(), site, effort).value();
  EXPECT_EQ(none.standing, Standing::unsure);
  EXPECT_THAT(none.why, HasSubstr("no time"));
}

TEST(Repair, ChangesJustWhatWasTunedAnew) {
  const Table before = some_table();
  const TunedPoint fresh{{Collective::bcast, 4, 64},
                         {measured(64, "native", 1e-5, 1), measured(64, "linear", 5e-6, 0.5)},
                         make_plan(Collective::bcast, "linear").value()};
  const Table after = repaired(before, {fresh});
  ASSERT_EQ(after.rule_sets.size(), 2u);
  const RuleSet* set = after.find(Collective::bcast, {4, 2});
  EXPECT_EQ(set->find(64)->plan.text(), "linear");
  EXPECT_EQ(set->find(1024)->plan.text(), "binomial");
  EXPECT_EQ(after.find(Collective::bcast, {8, 2})->find(64)->plan.text(), "chain");
  EXPECT_EQ(after.measurements.size(), before.measurements.size());
  EXPECT_EQ(repaired(before, {}).measurements.size(), before.measurements.size());
}

TEST(Repair, PutsRulesOfAPlacementInFrontOfThoseThatServeOthersToo) {
  Table table = some_table();
  const TunedPoint fresh{{Collective::bcast, 8, 64},
                         {measured(64, "native", 1e-5, 1, 8), measured(64, "chain", 2e-5, 2, 8)},
                         Plan::native(Collective::bcast)};
  const Table after = repaired(table, {fresh});
  EXPECT_EQ(after.find(Collective::bcast, {8, 2})->find(64)->plan.text(), "native");
  EXPECT_EQ(after.find(Collective::bcast, {9, 2})->find(64)->plan.text(), "chain");
}

}  // namespace
}  // namespace tutti
