// Learning, against made-up machines: what it decides, what it costs, and that the order of what it is told
// decides alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include "learning/contenders.hpp"
#include "learning/contrast.hpp"
#include "learning/knowledge_store.hpp"
#include "learning/knowledge_table.hpp"
#include "learning/trial.hpp"
#include "text/file.hpp"

namespace tutti {
namespace {

// A class of calls on a machine: what a call by an arm takes, by the number of the call.
struct MadeUp {
  std::vector<double> seconds;  // by arm
  std::function<double(std::mt19937&)> noise = [](std::mt19937&) { return 1.0; };
  std::function<double(std::size_t arm, long call, double)> disturbed = [](std::size_t, long, double s) {
    return s;
  };
  double computing = 0;  // between calls
  double mean_noise = 1;

  double call(std::size_t arm, long number, std::mt19937& random) const {
    return disturbed(arm, number, seconds[arm] * noise(random));
  }
};

std::function<double(std::mt19937&)> spread(double sigma) {
  return [sigma](std::mt19937& random) { return std::exp(std::normal_distribution(0.0, sigma)(random)); };
}

// A program's calls of the class, so many; the time they took, and what a perfect choice would have.
struct Ran {
  double seconds = 0, mean_seconds = 0;
  double cost = 0;             // of experiments, by what calls take on the average
  double worst_overdraft = 0;  // of the cost beyond its share of the time, at any time
};

Ran run(Trial& trial, const MadeUp& machine, long calls, std::mt19937& random,
        const LearningRules& rules = {}) {
  Ran ran;
  long number = 0;
  while (number < calls) {
    std::vector<StintTime> times;
    const bool experiment = trial.state() == Trial::State::introducing ||
                            trial.state() == Trial::State::comparing ||
                            trial.state() == Trial::State::checking;
    const auto experiments = trial.experiment();
    for (const Stint& stint : trial.stints()) {
      double least = machine.seconds[trial.incumbent()];
      for (std::size_t a = 0; a < trial.race().size(); ++a)
        if (trial.race().arm(a).introduced) least = std::min(least, machine.seconds[a]);
      const double excess = std::max(0.0, machine.seconds[stint.arm] - least) * machine.mean_noise;
      ran.mean_seconds += stint.calls * machine.seconds[stint.arm] * machine.mean_noise;
      if (experiment && &stint >= experiments.data() && &stint < experiments.data() + experiments.size() &&
          excess < 2 * machine.seconds[0] * machine.mean_noise)
        ran.cost += stint.calls * excess;
      ran.worst_overdraft = std::max(ran.worst_overdraft, ran.cost - rules.cost_share * ran.mean_seconds);
      double in_call = 0;
      const long now = std::min<long>(stint.calls, calls - number);
      for (long i = 0; i < now; ++i) in_call += machine.call(stint.arm, number++, random);
      ran.seconds += in_call;
      if (now < stint.calls) return ran;
      const double mean = in_call / stint.calls;
      if (stint.measured) times.push_back({mean, mean, mean + machine.computing});
    }
    trial.conclude(times, rules.cost_s);
  }
  return ran;
}

TEST(Sample, MergesToTheSameAsOneAfterTheOther) {
  std::mt19937 random(1);
  std::normal_distribution draw(3.0, 2.0);
  Sample all, first, second;
  for (int i = 0; i < 100; ++i) {
    const double value = draw(random), weight = 1 + i % 4;
    all.add(value, weight);
    (i < 30 ? first : second).add(value, weight);
  }
  first.merge(second);
  EXPECT_DOUBLE_EQ(first.mean, all.mean);
  EXPECT_NEAR(first.squares, all.squares, 1e-9 * all.squares);
  EXPECT_EQ(first.weight, all.weight);
  Sample none;
  none.merge(all);
  EXPECT_EQ(none, all);
  all.merge({});
  EXPECT_EQ(none, all);
}

// 2,000 series, asked after every one of 500 values: the interval misses the mean at any time in less than 5
// %.
TEST(Sample, IntervalHoldsAtAllTimesTogether) {
  std::mt19937 random(7);
  int missed = 0;
  for (int series = 0; series < 2000; ++series) {
    std::normal_distribution draw(1.0, 0.3);
    Sample sample;
    bool held = true;
    for (int i = 0; i < 500 && held; ++i) {
      sample.add(draw(random));
      const Interval bounds = sample.interval(0.05);
      held = bounds.low <= 1.0 && 1.0 <= bounds.high;
    }
    missed += !held;
  }
  EXPECT_LT(missed, 100);
  EXPECT_GT(missed, 0);  // it is no wider than it has to be
}

// Arms that were never in the race together are compared by those that were.
TEST(Race, WhatIsAheadOfOneThatGainsGains) {
  Race race({}, 5);
  std::mt19937 random(1);
  const auto compare = [&](std::size_t a, double a_s, std::size_t b, double b_s) {
    for (int cycle = 0; cycle < 12; ++cycle) {
      const double first = a_s * spread(0.02)(random), second = b_s * spread(0.02)(random);
      const std::array both{Stint{a, 1}, Stint{b, 1}};
      const std::array times{StintTime{first, first, first}, StintTime{second, second, second}};
      race.compare(both, times, 2);
    }
  };
  compare(0, 1.0, 1, 0.8);
  compare(1, 0.8, 2, 0.7);
  compare(2, 0.7, 3, 0.3);
  compare(3, 0.3, 4, 0.5);
  EXPECT_TRUE(race.gains(1));
  EXPECT_TRUE(race.gains(2));
  EXPECT_TRUE(race.gains(3));
  EXPECT_FALSE(race.gains(4));  // it may, but is only known to lose to one that does
  EXPECT_FALSE(race.gains(0));
}

TEST(Trial, SettlesOnWhatGainsMost) {
  std::mt19937 random(1);
  const MadeUp machine{{1e-3, 0.8e-3, 1.1e-3, 0.6e-3, 2.5e-3}, spread(0.1)};
  Trial trial({}, 5, 0, 1);
  run(trial, machine, 3000, random);
  EXPECT_EQ(trial.state(), Trial::State::settled);
  EXPECT_EQ(trial.incumbent(), 3u);
  EXPECT_NEAR(trial.race().ratio_to_native(3).middle, 0.6, 0.06);
}

// Native has left the race when the best is called first, and so has what surely gained.
TEST(Trial, TakesALatecomerThatIsBest) {
  for (const double least : {0.1, 0.3, 0.5})
    for (unsigned seed = 1; seed <= 20; ++seed) {
      std::mt19937 random(seed);
      const MadeUp machine{{1, 0.8, 0.65, 1.2, 0.6, least, 1.4}, spread(0.01)};
      Trial trial({}, 7, 0, seed);
      run(trial, machine, 1500, random);
      EXPECT_EQ(trial.incumbent(), 5u);
      run(trial, machine, 10'000, random);
      EXPECT_THAT(trial.state(), testing::AnyOf(Trial::State::settled, Trial::State::checking));
      EXPECT_EQ(trial.incumbent(), 5u);
      EXPECT_NEAR(trial.race().ratio_to_native(5).middle, least, 0.1 * least);
      EXPECT_LT(trial.race().ratio_to_native(5).high, 1);
    }
}

TEST(Trial, StaysNativeWhereNothingGains) {
  std::mt19937 random(1);
  const MadeUp machine{{1e-3, 1.05e-3, 1.2e-3, 1e-3}, spread(0.1)};
  Trial trial({}, 4, 0, 1);
  run(trial, machine, 100'000, random);
  EXPECT_EQ(trial.incumbent(), 0u);
}

TEST(Trial, AHopelessArmIsCalledOnce) {
  std::mt19937 random(1);
  const MadeUp machine{{10e-3, 50e-3, 8e-3}};
  Trial trial({}, 3, 0, 1);
  run(trial, machine, 5000, random);
  EXPECT_EQ(trial.race().arm(1).calls, 1);
  EXPECT_TRUE(trial.race().arm(1).hopeless);
  EXPECT_EQ(trial.incumbent(), 2u);
}

TEST(Trial, AGuardedPlanThatLosesIsDropped) {
  std::mt19937 random(3);
  const MadeUp losing{{1e-3, 1.06e-3}, spread(0.05)}, gaining{{1e-3, 0.94e-3}, spread(0.05)};
  for (const auto& [machine, chosen] : {std::pair{losing, 0u}, {gaining, 1u}}) {
    Trial trial({}, 2, 1, 1);
    run(trial, machine, 20'000, random);
    EXPECT_EQ(trial.state(), Trial::State::settled);
    EXPECT_EQ(trial.incumbent(), chosen);
  }
}

TEST(Trial, FollowsAMachineThatChanges) {
  std::mt19937 random(1);
  MadeUp machine{{1e-3, 0.7e-3}, spread(0.05)};
  machine.disturbed = [](std::size_t arm, long call, double s) {
    return arm == 1 && call > 20'000 ? 2 * s : s;
  };
  Trial trial({}, 2, 0, 1);
  run(trial, machine, 20'000, random);
  EXPECT_EQ(trial.incumbent(), 1u);
  machine.disturbed = [](std::size_t arm, long, double s) { return arm == 1 ? 2 * s : s; };
  run(trial, machine, 6000, random);
  EXPECT_EQ(trial.incumbent(), 0u);
  EXPECT_EQ(trial.reopened(), 1);
}

TEST(Trial, FollowsSoonWhereCallsAreSlow) {
  std::mt19937 random(1);
  bool changed = false;
  MadeUp machine{{1, 0.6, 0.8}, spread(0.05)};
  machine.disturbed = [&](std::size_t arm, long, double s) { return changed && arm == 1 ? 2.5 * s : s; };
  Trial trial({}, 3, 0, 1);
  run(trial, machine, 1500, random);
  ASSERT_EQ(trial.state(), Trial::State::settled);
  ASSERT_EQ(trial.incumbent(), 1u);
  changed = true;
  run(trial, machine, 300, random);
  EXPECT_EQ(trial.incumbent(), 2u);
}

TEST(Trial, IsNativeAgainWhereNothingGainsAnyMore) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    bool changed = false;
    MadeUp machine{{1, 0.8, 1.3, 1.5, 1.1}, spread(0.02)};
    machine.disturbed = [&](std::size_t arm, long, double s) { return changed && arm == 1 ? 1.7 * s : s; };
    Trial trial({}, 5, 0, seed);
    run(trial, machine, 1500, random);
    ASSERT_THAT(trial.state(), testing::AnyOf(Trial::State::settled, Trial::State::checking));
    ASSERT_EQ(trial.incumbent(), 1u);
    changed = true;
    run(trial, machine, 250, random);
    EXPECT_EQ(trial.incumbent(), 0u);
  }
}

// What sets the machine in a state in which it is fast is slow to show it.
TEST(Trial, FindsWhatGainsOnlyInARow) {
  std::mt19937 random(1);
  MadeUp machine{{1e-3, 1e-3, 1e-3}, spread(0.05)};
  std::size_t last = 0;
  int in_a_row = 0;
  machine.disturbed = [&](std::size_t arm, long, double s) {
    in_a_row = arm == last ? in_a_row + 1 : 0;
    last = arm;
    return arm == 2 ? s * (1 - 0.4 * (1 - std::exp(-in_a_row / 4.0))) : s;
  };
  Trial trial({}, 3, 0, 1);
  run(trial, machine, 5000, random);
  EXPECT_EQ(trial.incumbent(), 2u);
}

TEST(Trial, BeginsWithWhatOthersFoundPromising) {
  Sample little;
  for (const double contrast : {-0.3, -0.35, -0.25, -0.3, -0.28}) little.add(contrast);
  const Trial trial({}, 3, 0, 1, std::vector<Sample>{{}, {}, little});
  EXPECT_EQ(trial.incumbent(), 2u);
  // It stays only if it proves better.
  std::mt19937 random(1);
  Trial mistaken({}, 3, 0, 1, std::vector<Sample>{{}, {}, little});
  run(mistaken, {{1e-3, 1.5e-3, 1.3e-3}, spread(0.05)}, 5000, random);
  EXPECT_EQ(mistaken.incumbent(), 0u);
}

// 20 seeds, 1,000 classes each: one in a hundred at most ends on a plan that is more than 2 % slower than
// native.
TEST(Trial, HardlyEverEndsOnAPlanThatLoses) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    int lost = 0;
    int bounded = 0, exceeded = 0;
    double gained = 0, possible = 0;
    for (int i = 0; i < 1000; ++i) {
      const std::size_t arms = 2 + random() % 6;
      MadeUp machine;
      machine.seconds.push_back(std::exp(std::uniform_real_distribution(-14.0, -4.0)(random)));
      for (std::size_t a = 1; a < arms; ++a)
        machine.seconds.push_back(machine.seconds[0] * std::exp(std::normal_distribution(0.1, 0.3)(random)));
      const double sigma = std::exp(std::uniform_real_distribution(-4.0, 0.0)(random));
      const unsigned kind = random() % 4;
      switch (kind) {
        case 0:
          machine.noise = spread(sigma);
          break;
        case 1:  // heavy tails
          machine.noise = [](std::mt19937& r) {
            return 1 + 0.05 / std::pow(std::uniform_real_distribution(1e-6, 1.0)(r), 0.7);
          };
          machine.mean_noise = 1 + 0.05 / 0.3;
          break;
        case 2:  // two modes
          machine.noise = [](std::mt19937& r) { return r() % 8 == 0 ? 20.0 : 1.0; };
          machine.mean_noise = 27.0 / 8;
          break;
        default:  // computing between, that takes turns
          machine.noise = spread(sigma);
          machine.computing = machine.seconds[0] * static_cast<double>(random() % 10);
      }
      Trial trial({}, arms, 0, random());
      const Ran ran = run(trial, machine, 4000, random);
      const double best = *std::min_element(machine.seconds.begin(), machine.seconds.end());
      const double chosen = machine.seconds[trial.incumbent()];
      lost += chosen > 1.02 * machine.seconds[0];
      gained += 1 - chosen / machine.seconds[0];
      possible += 1 - best / machine.seconds[0];
      // Where calls scatter widely, so do estimates.
      if ((kind == 0 || kind == 3) && sigma < 0.3)
        ++bounded, exceeded += ran.worst_overdraft > LearningRules{}.cost_s + 2 * machine.seconds[0];
    }
    EXPECT_LE(lost, 10) << "seed " << seed;
    EXPECT_GT(gained, 2 * possible / 3) << "seed " << seed;
    EXPECT_LE(exceeded, bounded * 3 / 100) << "seed " << seed;
  }
}

TEST(Trial, TwoModesThatStayAreNative) {
  std::mt19937 random(1);
  MadeUp machine{{1e-3, 0.5e-3}, spread(0.02)};
  machine.disturbed = [](std::size_t, long call, double s) { return call / 300 % 2 == 1 ? 30 * s : s; };
  LearningRules rules;
  rules.cost_s = 10;
  Trial trial(rules, 2, 0, 1);
  run(trial, machine, 20'000, random, rules);
  EXPECT_EQ(trial.incumbent(), trial.is_unstable() ? 0u : 1u);
}

// Whatever was measured: ranks that are told the same decide the same.
TEST(Trial, DecidesByWhatItIsToldAlone) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const std::size_t arms = 2 + random() % 6, presumed = random() % 2;
    Trial one({}, arms, presumed, seed), other({}, arms, presumed, seed);
    for (int i = 0; i < 200; ++i) {
      std::vector<StintTime> times;
      for (const Stint& stint : one.stints())
        if (stint.measured) {
          const double t = std::exp(std::normal_distribution(-7.0, 2.0)(random));
          times.push_back({t, 2 * t, t * (1 + static_cast<double>(random() % 100))});
        }
      const double spare = 1e-3 * static_cast<double>(random() % 40);
      one.conclude(times, spare);
      other.conclude(times, spare);
      ASSERT_EQ(one.stints().size(), other.stints().size());
      for (std::size_t s = 0; s < one.stints().size(); ++s) {
        EXPECT_EQ(one.stints()[s].arm, other.stints()[s].arm);
        EXPECT_EQ(one.stints()[s].calls, other.stints()[s].calls);
        EXPECT_LT(one.stints()[s].arm, arms);
        EXPECT_GT(one.stints()[s].calls, 0);
      }
      EXPECT_EQ(one.incumbent(), other.incumbent());
    }
  }
}

// A plan that leaves its calls early and makes others late gains nothing.
TEST(Trial, WhatAPlanMovesElsewhereIsNoGain) {
  std::mt19937 random(1);
  for (const auto& [period, chosen] : {std::pair{3.1e-3, 0u}, {2.5e-3, 1u}}) {
    const LearningRules rules;
    Trial trial(rules, 2, 0, 1);
    std::normal_distribution noise(1.0, 0.03);
    for (int i = 0; i < 200; ++i) {
      std::vector<StintTime> times;
      for (const Stint& stint : trial.stints()) {
        const double in_call = (stint.arm == 0 ? 1e-3 : 0.5e-3) * noise(random);
        if (stint.measured)
          times.push_back({in_call, in_call, (stint.arm == 0 ? 3e-3 : period) * noise(random)});
      }
      trial.conclude(times, rules.cost_s);
    }
    EXPECT_EQ(trial.incumbent(), chosen);
  }
}

Evidence evidence(double ratio, int calls, double scatter = 0.02) {
  std::mt19937 random(static_cast<unsigned>(calls));
  std::normal_distribution noise(0.0, scatter);
  Evidence e{.calls = static_cast<double>(calls),
             .seconds = {},
             .against_native = {},
             .first = 20000,
             .last = 20000};
  for (int i = 0; i < calls; ++i) {
    e.seconds.add(1e-3 * ratio * (1 + noise(random)));
    e.against_native.add(contrast_of_ratio(ratio) + noise(random));
  }
  return e;
}

Knowledge some_knowledge() {
  Knowledge known{.machine = "a processor, 2 cores", .classes = {}, .networks = {}};
  const Knowledge::Key key{"Open MPI 4.1.4", {Collective::bcast, {4, 1}, SizeClass::of(5000)}};
  known.classes[key] = {
      {"native", evidence(1, 40)}, {"binomial", evidence(0.7, 30)}, {"linear", evidence(1.4, 30)}};
  known.networks["Open MPI 4.1.4"] = Network::uniform({1e-6, 1e-9});
  return known;
}

TEST(Knowledge, ReadsBackWhatItWrites) {
  const std::string text = to_text(some_knowledge());
  const auto known = parse_knowledge(text, "k.json");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(to_text(*known), text);
  EXPECT_EQ(known->classes, some_knowledge().classes);
  EXPECT_EQ(date_text(0), "1970-01-01");
}

TEST(Knowledge, SaysWhatIsWrong) {
  const std::string text = to_text(some_knowledge());
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto at = changed.find(from);
    EXPECT_NE(at, changed.npos) << from;
    changed.replace(at, from.size(), to);
    const auto known = parse_knowledge(changed, "k.json");
    return known ? "none" : known.error().message;
  };
  using testing::HasSubstr;
  EXPECT_THAT(error("tutti-knowledge-1", "tutti-knowledge-2"), HasSubstr("this Tutti reads"));
  EXPECT_THAT(error("\"bcast\"", "\"bcats\""), HasSubstr("did you mean 'bcast'?"));
  EXPECT_THAT(error("\"binomial\"", "\"binomal\""), HasSubstr("did you mean 'binomial'?"));
  EXPECT_THAT(error("2024-10-04", "2024-13-04"), HasSubstr("is no date"));
  EXPECT_THAT(error("\"ranks\": 4", "\"ranks\": 0"), HasSubstr("0 ranks"));
  EXPECT_THAT(error("\"any\"", "\"none\""), HasSubstr("no order of operands"));
}

TEST(Knowledge, FadesAndMerges) {
  Knowledge known = some_knowledge();
  const double before = known.classes.begin()->second.at("binomial").against_native.weight;
  known.fade(20000 + 60);
  EXPECT_NEAR(known.classes.begin()->second.at("binomial").against_native.weight, before / 2, 1e-9);
  Knowledge both = some_knowledge();
  both.merge(some_knowledge());
  EXPECT_EQ(both.classes.begin()->second.at("binomial").calls, 60);
  Knowledge none{.machine = "", .classes = {}, .networks = {}};
  none.merge(some_knowledge());
  EXPECT_EQ(none.classes, some_knowledge().classes);
}

TEST(Knowledge, BecomesATableAndIsMadeOfOne) {
  const Table table = table_of(some_knowledge(), "Open MPI 4.1.4");
  EXPECT_EQ(table.find(Collective::bcast, {4, 1})->find(5000)->plan.text(), "binomial");
  EXPECT_EQ(table.find(Collective::bcast, {4, 1})->find(100), nullptr);
  EXPECT_EQ(table.measurements.size(), 3u);
  const Knowledge again = knowledge_of(table, 20001);
  EXPECT_EQ(again.machine, "a processor, 2 cores");
  const auto& plans = again.classes.begin()->second;
  EXPECT_LT(plans.at("binomial").ratio_to_native().high, 1);
  EXPECT_GT(plans.at("linear").ratio_to_native().low, 1);
}

// Many that write at once lose nothing of each other's.
TEST(Knowledge, IsKeptByManyAtOnce) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "knowledge-of-many";
  std::filesystem::remove_all(folder);
  const KnowledgeStore store(folder);
  std::vector<std::thread> writers;
  for (int w = 0; w < 8; ++w)
    writers.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const auto added = store.add(some_knowledge());
        EXPECT_TRUE(added) << added.error().message;
      }
    });
  for (auto& writer : writers) writer.join();
  const auto known = parse_knowledge(read_file(store.file_of("a processor, 2 cores")).value(), "k.json");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->classes.begin()->second.at("binomial").calls, 40 * 30);
  // What can't be read stays.
  ASSERT_TRUE(write_file(store.file_of("a processor, 2 cores"), "{ cut"));
  EXPECT_FALSE(store.add(some_knowledge()));
  EXPECT_EQ(read_file(store.file_of("a processor, 2 cores")).value(), "{ cut");
  EXPECT_FALSE(KnowledgeStore("/proc/nowhere").add(some_knowledge()));
  std::filesystem::remove_all(folder);
}

TEST(Contenders, AreWhatIsKnownThenTheNearestThenTheCheapest) {
  const Hosts one_host(4, 0);
  const Setting setting{.ranks = 4, .hosts = &one_host};
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const Contenders known = contenders(some_knowledge(), "Open MPI 4.1.4", exact, setting);
  EXPECT_EQ(known.plans.at(known.presumed).text(), "binomial");
  EXPECT_EQ(known.plans.size(), 2u);  // linear loses
  const CallClass near{Collective::bcast, {4, 1}, SizeClass::of(20000)};
  const Contenders guessed = contenders(some_knowledge(), "Open MPI 4.1.4", near, setting);
  EXPECT_EQ(guessed.presumed, 0u);
  EXPECT_EQ(guessed.plans.at(1).text(), "binomial");
  EXPECT_THAT(guessed.because, testing::HasSubstr("known of 4 ranks"));
  const Contenders cheap = contenders(some_knowledge(), "MPICH 4.0.2", exact, setting);
  EXPECT_TRUE(cheap.plans.front().is_native());
  EXPECT_EQ(cheap.because, "by price");
  EXPECT_LE(cheap.plans.size(), 1 + most_contenders);
}

// What is ahead by a few calls is tried beside what surely gains.
TEST(Contenders, PresumeWhatSurelyGains) {
  Knowledge known = some_knowledge();
  known.classes.begin()->second["chain"] = evidence(0.5, 4, 0.5);
  const Hosts one_host(4, 0);
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const Contenders found = contenders(known, "Open MPI 4.1.4", exact, {.ranks = 4, .hosts = &one_host});
  EXPECT_EQ(found.plans.at(found.presumed).text(), "binomial");
  EXPECT_EQ(found.plans.at(2).text(), "chain");
}

// So few calls prove nothing, but short programs would pay for them again and again.
TEST(Contenders, LeaveOutWhatProbablyLoses) {
  Knowledge known = some_knowledge();
  auto& plans = known.classes.begin()->second;
  plans = {{"native", evidence(1, 40)}, {"ring", evidence(1.5, 6, 0.1)}, {"chain", evidence(1.03, 5, 0.3)}};
  EXPECT_FALSE(plans.at("ring").ratio_to_native().low > 1);
  const Hosts one_host(4, 0);
  const CallClass exact{Collective::bcast, {4, 1}, SizeClass::of(5000)};
  const Contenders found = contenders(known, "Open MPI 4.1.4", exact, {.ranks = 4, .hosts = &one_host});
  std::set<std::string> tried;
  for (const Plan& plan : found.plans) tried.insert(plan.text());
  EXPECT_FALSE(tried.contains("ring"));
  EXPECT_TRUE(tried.contains("chain"));
}

// One port that gives or gets fifteen messages in a row, where others do with four: not worth a first call.
TEST(Contenders, LeaveOutWhatIsTooDear) {
  const Network network = Network::uniform({4e-5, 8e-8});
  Hosts hosts;
  for (Rank rank = 0; rank < 16; ++rank) hosts.push_back(rank);
  const Setting setting{.ranks = 16, .hosts = &hosts};
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::barrier})
    for (const std::size_t size : {8u, 700u, 8704u, 60000u})
      for (const Plan& plan :
           cheapest({collective, {16, 16}, SizeClass::of(size)}, setting, &network, most_contenders))
        EXPECT_FALSE(plan.text().starts_with("linear")) << name(collective) << " of " << size;
}

// Of every operation, on few and on thousands of ranks: different kinds, all of which serve.
TEST(Contenders, ServeWhatTheyAreChosenFor) {
  const Network network = Network::uniform({2e-5, 1e-9});
  for (const CollectiveTraits& collective : collectives)
    for (const int ranks : {2, 3, 16, 17, 96, 1024, 4096})
      for (const bool commutative : {true, false}) {
        Hosts hosts;
        for (Rank rank = 0; rank < ranks; ++rank) hosts.push_back(rank / 8);
        const Setting setting{.ranks = ranks, .commutative = commutative, .hosts = &hosts};
        const CallClass calls{collective.collective,
                              {ranks, count(hosts)},
                              SizeClass::of(3000),
                              commutative ? OperandOrders::any : OperandOrders::in_rank_order};
        const auto plans = cheapest(calls, setting, &network, most_contenders);
        EXPECT_LE(plans.size(), most_contenders);
        EXPECT_FALSE(plans.empty()) << collective.name << " on " << ranks;
        for (const Plan& plan : plans) EXPECT_FALSE(plan.refusal(setting)) << plan.text();
      }
}

}  // namespace
}  // namespace tutti
