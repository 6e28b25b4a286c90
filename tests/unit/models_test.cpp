// Models of running times: runtime functions, LMO, escalations.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/network/escalation.hpp"
#include "core/network/lmo.hpp"
#include "core/network/runtime_model.hpp"
#include "support/running_times.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

const std::vector<int> some_ranks{2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
const std::vector<double> some_bytes{10240, 30720, 102400, 256000, 512000};

std::vector<Timing> timings(const std::function<double(double p, double b)>& seconds, double noise = 0) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(1, noise);
  std::vector<Timing> all;
  for (const int p : some_ranks)
    for (const double b : some_bytes) all.push_back({p, b, seconds(p, b) * (noise > 0 ? normal(random) : 1)});
  return all;
}

TEST(RuntimeFunction, FindsTheFormOfTheTable) {
  const auto gather = [](double p, double b) { return 0.009 + (-0.0825e-6 + 0.0929e-6 * p) * b; };
  const RuntimeFunction function = fit(timings(gather));
  ASSERT_EQ(function.pieces().size(), 1u);
  const auto& piece = function.pieces().front();
  EXPECT_EQ(piece.form, Form::startup);
  EXPECT_NEAR(piece.coefficients[0], 0.009, 1e-9);
  EXPECT_NEAR(piece.coefficients[2], 0.0929e-6, 1e-12);
  EXPECT_LT(piece.max_deviation, 1e-6);
  EXPECT_NEAR(function(20, 50000), gather(20, 50000), 1e-9);
}

TEST(RuntimeFunction, FindsTheBorderBetweenTwoRealizations) {
  const auto bcast = [](double p, double b) {
    return (p <= 4 ? -0.085e-6 + 0.092e-6 * p : 0.038e-6 + 0.474e-6 * std::log2(p)) * b;
  };
  const RuntimeFunction function = fit(timings(bcast));
  EXPECT_EQ(function.pieces().size(), 2u);
  for (const Timing& t : timings(bcast)) EXPECT_NEAR(function(t.ranks, t.bytes), t.seconds, 1e-6 * t.seconds);
}

TEST(RuntimeFunction, FindsTheBorderBetweenSizes) {
  const auto leap = [](double p, double b) {
    return b <= 102400 ? 1e-4 + 1e-8 * p * b : 0.02 + 2.5e-8 * p * b;
  };
  const RuntimeFunction function = fit(timings(leap));
  EXPECT_EQ(function.pieces().size(), 2u);
  EXPECT_NEAR(function(24, 256000), leap(24, 256000), 1e-6);
}

TEST(RuntimeFunction, TakesNoiseForNoise) {
  const auto gather = [](double p, double b) { return 0.002 + 0.09e-6 * p * b; };
  const RuntimeFunction function = fit(timings(gather, 0.03));
  EXPECT_LE(function.pieces().size(), 2u);
  for (const Timing& t : timings(gather))
    EXPECT_NEAR(function(t.ranks, t.bytes), t.seconds, 0.05 * t.seconds);
}

TEST(RuntimeFunction, OfOneNumberOfRanksIsALineInBytes) {
  const RuntimeFunction function = fit({{16, 1000, 0.0011}, {16, 2000, 0.0021}, {16, 4000, 0.0041}});
  ASSERT_EQ(function.pieces().size(), 1u);
  EXPECT_EQ(function.pieces().front().form, Form::affine);
  EXPECT_NEAR(function(16, 3000), 0.0031, 1e-9);
  EXPECT_NEAR(function(16, 1000), 0.0011, 1e-9);
}

TEST(RuntimeFunction, OfOneTimingIsThatTiming) {
  EXPECT_DOUBLE_EQ(fit({{4, 1000, 0.5}})(4, 1000), 0.5);
}

TEST(RuntimeModel, GivesBackWhatItWasGiven) {
  const RuntimeModel model{
      {{Collective::gather, "native", fit(timings([](double p, double b) { return p * b; }))}}};
  const RuntimeModel again = parse_runtime_model(to_text(model), "here").value();
  ASSERT_EQ(again.entries.size(), 1u);
  EXPECT_EQ(again.entries.front().seconds.pieces(), model.entries.front().seconds.pieces());
  const NativeTime native = native_time_of(again, [](const NativeCall&) { return -1.0; });
  EXPECT_NEAR(native({Collective::gather, 8, 20000}), 160000, 1);
  EXPECT_EQ(native({Collective::bcast, 8, 20000}), -1);
}

TEST(RuntimeModel, SaysWhatIsWrong) {
  const auto error = [](const std::string& text) {
    return parse_runtime_model(text, "m.json").error().message;
  };
  EXPECT_THAT(error("["), HasSubstr("model m.json: is not JSON"));
  EXPECT_THAT(error("{}"), HasSubstr("is not a model of Tutti; write it anew with tutti model fit"));
  const std::string piece =
      R"({"comm_size_min": 2, "comm_size_max": 4, "msg_size_min": 1, "msg_size_max": 9, "mean_deviation": 0,
          "max_deviation": 0, "form": "FORM", "coefficients": [1]})";
  const auto with = [&](const std::string& form) {
    std::string text = piece;
    text.replace(text.find("FORM"), 4, form);
    return R"({"$schema": "tutti-model-1", "functions": [{"operation": "gather", "plan": "native", "pieces": [)" +
           text + "]}]}";
  };
  EXPECT_THAT(error(with("cubic")), HasSubstr("no form of a runtime function is called cubic"));
  EXPECT_THAT(error(with("startup")), HasSubstr("form startup has 3 coefficients, not 1"));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = with("affine");
    text.replace(text.find("[1]"), 3, "[1, 2]");
    text.replace(text.find(from), from.size(), to);
    const auto model = parse_runtime_model(text, "m.json");
    return model ? "none" : model.error().message;
  };
  EXPECT_EQ(changed("[1, 2]", "[1, -2]"), "none");
  EXPECT_THAT(changed("[1, 2]", "[1, 1e308]"), HasSubstr("coefficients: 1e+308 is no number from -1e+30"));
  EXPECT_THAT(changed("size_max\": 9", "size_max\": 1e99"), HasSubstr("msg_size_max: 1e+99 is no number"));
  EXPECT_THAT(changed("size_min\": 2", "size_min\": 0"), HasSubstr("a piece is of 0 to 4 ranks"));
  EXPECT_THAT(changed("size_min\": 2", "size_min\": 5"), HasSubstr("a piece is of 5 to 4 ranks"));
  EXPECT_THAT(changed("\"form\"", "\"sharing_min\": 3, \"form\""), HasSubstr("3 to 1 groups at a host"));
}

TEST(Lmo, IsFoundFromItsExperiments) {
  const std::vector<double> fixed{40e-6, 55e-6, 30e-6, 70e-6, 45e-6}, variable{2e-9, 1e-9, 3e-9, 2e-9, 4e-9};
  constexpr double network = 8e-8, n = 65536;
  const auto at = [](const std::vector<double>& list, Rank i) { return list[static_cast<std::size_t>(i)]; };
  const auto one_way = [&](Rank i, Rank j, double bytes) {
    return at(fixed, i) + at(fixed, j) + (at(variable, i) + at(variable, j) + network) * bytes;
  };
  LmoExperiments experiments{.bytes = n,
                             .empty_round_trip = [&](Rank i, Rank j) { return 2 * one_way(i, j, 0); },
                             .round_trip = [&](Rank i, Rank j) { return 2 * one_way(i, j, n); },
                             .there = [&](Rank i, Rank j) { return one_way(i, j, n) + one_way(i, j, 0); },
                             .one_to_two = {}};
  for (Rank i = 0; i < 5; ++i) {
    const Rank j = (i + 1) % 5, k = (i + 2) % 5;
    const double slower = std::max(experiments.there(i, j), experiments.there(i, k));
    experiments.one_to_two.push_back({i, j, k, slower + 2 * at(fixed, i) + at(variable, i) * n});
  }
  const Lmo lmo = lmo_from(5, experiments);
  for (Rank i = 0; i < 5; ++i) {
    EXPECT_NEAR(at(lmo.fixed, i), at(fixed, i), 1e-12);
    EXPECT_NEAR(at(lmo.variable, i), at(variable, i), 1e-15);
    EXPECT_NEAR(lmo.message(i, (i + 3) % 5, 1000), one_way(i, (i + 3) % 5, 1000), 1e-12);
  }
  EXPECT_LT(lmo.one_to_many(0, n, n), lmo.one_to_many(0, n, 0));
}

// Three ranks beside the root, at 10 ns a byte each; processors take 100 us a message and 1 ns a
// byte.
Lmo four_alike() {
  return {std::vector<double>(4, 100e-6), std::vector<double>(4, 1e-9), std::vector<double>(16, 10e-9)};
}
double side_by_side(double n) {
  return 3 * (100e-6 + 1e-9 * n) + 100e-6 + 11e-9 * n;
}
double in_turn(double n) {
  return 100e-6 + 1e-9 * n + 3 * (100e-6 + 11e-9 * n);
}

TEST(Lmo, FitsWhatAGatherTakesBeyondItsMessages) {
  Lmo lmo = four_alike();
  EXPECT_DOUBLE_EQ(lmo.many_to_one(0, 5000), in_turn(5000));
  Repetitions runs;
  for (const std::size_t n : {1000U, 4000U, 16000U, 64000U, 256000U, 1024000U}) {
    const auto bytes = static_cast<double>(n);
    const double seconds =
        n <= 16000 ? side_by_side(bytes) + 2e-9 * bytes : in_turn(bytes) + 3e-3 + 4e-9 * bytes;
    runs[n] = {seconds, seconds, 9 * seconds};
  }
  lmo.gather = fit_many_to_one(lmo, 0, runs, std::nullopt);
  EXPECT_EQ(lmo.gather->m2, 16000);
  EXPECT_NEAR(lmo.gather->small_per_byte, 2e-9, 1e-14);
  EXPECT_NEAR(lmo.gather->large, 3e-3, 1e-9);
  EXPECT_NEAR(lmo.gather->large_per_byte, 4e-9, 1e-14);
  EXPECT_NEAR(lmo.gather->mean_deviation, 0, 1e-9);
  EXPECT_NEAR(lmo.many_to_one(0, 100000), in_turn(100000) + 3e-3 + 4e-4, 1e-9);
  EXPECT_NEAR(lmo.many_to_one(0, 8000), side_by_side(8000) + 16e-6, 1e-9);
}

TEST(Lmo, FitsOnlyWhereNothingEscalates) {
  Lmo lmo = four_alike();
  Repetitions runs;
  for (const std::size_t n : {1000U, 4000U, 16000U, 64000U, 256000U}) {
    const auto bytes = static_cast<double>(n);
    runs[n] = {n > 4000 && n <= 64000 ? 0.3
               : n <= 4000            ? side_by_side(bytes) + 2e-9 * bytes
                                      : in_turn(bytes) + 1e-3};
  }
  lmo.gather =
      fit_many_to_one(lmo, 0, runs, Escalations{.m1 = 4000, .m2 = 64000, .levels = {}, .probabilities = {}});
  EXPECT_NEAR(lmo.gather->small_per_byte, 2e-9, 1e-14);
  EXPECT_NEAR(lmo.many_to_one(0, 256000), in_turn(256000) + 1e-3, 1e-9);
}

TEST(Lmo, OfSizesOnOneSideFitsThatSide) {
  const Lmo lmo = four_alike();
  const ManyToOne one = fit_many_to_one(lmo, 0, {{1000, {in_turn(1000) + 1e-4}}}, std::nullopt);
  EXPECT_LT(one.mean_deviation, 1e-9);
  EXPECT_EQ(fit_many_to_one(lmo, 0, {}, std::nullopt).mean_deviation, 0);
}

// A gather whose wire takes 2 ms and 15 bytes a microsecond; between 8 KB and 128 KB runs escalate
// by 0.2 or
// 0.4 s.
Repetitions escalating() {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  Repetitions all;
  for (std::size_t bytes = 1024; bytes <= 524288; bytes *= 2)
    for (int run = 0; run < 60; ++run) {
      double seconds = 2e-3 + static_cast<double>(bytes) * 6.7e-7 * (1 + 0.05 * uniform(random));
      const double chance = uniform(random);
      if (bytes >= 8192 && bytes <= 131072) seconds += chance < 0.4 ? 0.2 : chance < 0.6 ? 0.4 : 0;
      all[bytes].push_back(seconds + 2e-3 * uniform(random));
    }
  return all;
}

TEST(Escalations, AreFoundWithTheirLevelsAndProbabilities) {
  const auto found = find_escalations(escalating());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->m1, 4096u);
  EXPECT_EQ(found->m2, 131072u);
  ASSERT_EQ(found->levels.size(), 2u);
  EXPECT_NEAR(found->levels[0], 0.2, 0.01);
  EXPECT_NEAR(found->levels[1], 0.4, 0.01);
  EXPECT_NEAR(found->probabilities.at(32768)[0], 0.4, 0.2);
  EXPECT_NEAR(found->probabilities.at(32768)[1], 0.2, 0.15);
  EXPECT_EQ(found->probabilities.at(1024)[0], 0);
}

TEST(Escalations, AreNoneOnAQuietNetwork) {
  Repetitions quiet = escalating();
  for (auto& [bytes, runs] : quiet)
    for (double& run : runs)
      run = std::fmod(run, 0.2) < run ? 2e-3 + static_cast<double>(bytes) * 6.9e-7 : run;
  EXPECT_FALSE(find_escalations(quiet));
}

TEST(Leap, IsFoundWhereTheLineRises) {
  Repetitions leaping, straight;
  for (std::size_t bytes = 1024; bytes <= 524288; bytes *= 2) {
    const auto n = static_cast<double>(bytes);
    leaping[bytes] = {bytes <= 65536 ? 1e-4 + 1e-7 * n : 1e-2 + 1.5e-7 * n};
    straight[bytes] = {1e-4 + 1e-7 * n};
  }
  EXPECT_EQ(find_leap(leaping), 65536u);
  EXPECT_FALSE(find_leap(straight));
}

using namespace apps;

// Every collective takes a second a rank and a microsecond a byte; an operation takes a nanosecond.
const Machine made_up{
    1e-9, [](const NativeCall& call) { return call.ranks + 1e-6 * static_cast<double>(call.size); }};

TEST(Applications, TakeWhatTheirFormulasSay) {
  constexpr int p = 6;
  constexpr double n = 1200, work = 2 * n * n / p * 1e-9, block = n / p * 8e-6, vector = n * 8e-6;
  EXPECT_DOUBLE_EQ(jacobi_by_rows(made_up, p, n), work + p + block);
  EXPECT_DOUBLE_EQ(jacobi_by_columns_allreduce(made_up, p, n), work + p + vector + p + block);
  EXPECT_NEAR(jacobi_by_columns_reduce(made_up, p, n), 2 * n / p * (n - 1) * 1e-9 + 2 * (p + vector), 1e-12);
  EXPECT_NEAR(parallel_adams_bashforth(made_up, p, n, 4, 1e-3), 4 * (200e-3 + 9 * 200e-9 + p + block), 1e-12);
  EXPECT_NEAR(parallel_adams_moulton(made_up, p, n, 4, 2, 1e-3),
              8 * (200e-3 + 3 * 200e-9 + p + block) + 4 * 9 * 200e-9, 1e-12);
}

TEST(Applications, OnAGridHaveTheirPhasesSum) {
  const Machine grid{made_up.operation_s, orthogonal(made_up.collective_s, 2, 3)};
  constexpr double n = 1200, work = 2 * n * n / 6 * 1e-9, block = 200 * 8e-6, vector = n * 8e-6;
  EXPECT_NEAR(jacobi_by_rows(grid, 6, n), work + (2 + block) + (3 + 2 * block), 1e-12);
  EXPECT_NEAR(jacobi_by_columns_reduce(grid, 6, n), 2 * n / 6 * (n - 1) * 1e-9 + 2 * (2 + 3 + 2 * vector),
              1e-12);
}

}  // namespace
}  // namespace tutti
