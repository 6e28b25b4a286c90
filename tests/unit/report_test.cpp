// What a report says of tables that are written here, and what drawings show.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>

#include "base/json.hpp"
#include "core/network/by_hosts.hpp"
#include "core/plan/plan.hpp"
#include "tools/report/document.hpp"
#include "tools/report/drawing.hpp"
#include "tools/report/page.hpp"
#include "tools/report/summary.hpp"
#include "tools/report/verdict.hpp"

namespace tutti {
using namespace tools;
namespace {

using testing::HasSubstr;
using testing::Not;

Measurement measured(Collective collective, int ranks, std::size_t size, const std::string& plan,
                     double seconds, double ratio) {
  return {.collective = collective,
          .ranks = ranks,
          .hosts = 2,
          .size = size,
          .plan = plan,
          .seconds = {seconds * 0.9, seconds, seconds * 1.1},
          .mean = seconds,
          .ratio_to_native = {ratio * 0.9, ratio, ratio * 1.05},
          .repetitions = 40};
}

Plan plan_of(Collective collective, const std::string& text) {
  return make_plan(collective, text).value();
}

// A broadcast that gains at 1 KB and does not at 8 bytes.
Table some_table() {
  Table table{.fingerprint = {"Some MPI 1.0", "some machine"},
              .network = {1e-6, 1e-9},
              .rule_sets = {},
              .measurements = {}};
  table.rule_sets.push_back({Collective::bcast,
                             {8, 2},
                             {{0, 100, plan_of(Collective::bcast, "native")},
                              {101, unlimited, plan_of(Collective::bcast, "binomial")}}});
  table.measurements = {measured(Collective::bcast, 8, 8, "native", 1e-5, 1),
                        measured(Collective::bcast, 8, 8, "binomial", 2e-5, 2),
                        measured(Collective::bcast, 8, 1024, "native", 4e-5, 1),
                        measured(Collective::bcast, 8, 1024, "binomial", 1e-5, 0.25),
                        measured(Collective::bcast, 8, 1024, "linear", 8e-5, 2)};
  return table;
}

Json document_of(const Table& table) {
  Findings findings;
  findings.campaigns.push_back({"table.json", "table", table.fingerprint, table});
  return report_document(findings, "2026-03-01", "0.1.0");
}

TEST(Verdict, IsOfWhatTheTableChooses) {
  const Table table = some_table();
  const auto points = decided_points(table);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].chosen->plan, "native");
  EXPECT_EQ(points[0].best->plan, "binomial");
  EXPECT_DOUBLE_EQ(points[1].gain(), 4);
  const Headline headline = headline_of(points);
  EXPECT_EQ(headline.points, 2u);
  EXPECT_EQ(headline.native, 1u);
  EXPECT_DOUBLE_EQ(headline.geometric_mean, 2);
  ASSERT_TRUE(headline.largest);
  EXPECT_EQ(headline.largest->size, 1024u);
}

TEST(Verdict, WithoutDecisionsIsOfWhatSurelyGains) {
  Table table = some_table();
  table.rule_sets.clear();
  EXPECT_EQ(decided_points(table)[1].chosen->plan, "binomial");
  table.measurements[3].ratio_to_native.high = 1.01;
  EXPECT_EQ(decided_points(table)[1].chosen->plan, "native");
  EXPECT_FALSE(headline_of(decided_points(table)).largest);
  EXPECT_EQ(headline_of({}).points, 0u);
}

TEST(Verdict, GivesReasons) {
  const Table table = some_table();
  const auto points = decided_points(table);
  const RuleSet& set = table.rule_sets.front();
  EXPECT_EQ(reason(set, set.rules[0], points),
            "the best other plan, binomial, took 2.00 of native's time (1.80 to 2.10, 40 repetitions) at 8");
  EXPECT_EQ(reason(set, set.rules[1], points), "0.25 of native's time (0.23 to 0.26, 40 repetitions) at 1K");
  EXPECT_EQ(reason(set, {200, 300, set.rules[1].plan}, points), "between what was measured");
}

TEST(Report, HasEveryMeasurement) {
  const auto document = document_of(some_table());
  const auto& curves = document["campaigns"][0]["curves"];
  ASSERT_EQ(curves.size(), 1u);
  std::size_t points = 0;
  for (const auto& series : curves[0]["series"]) points += series["points"].size();
  EXPECT_EQ(points, 5u);
  EXPECT_EQ(curves[0]["chosen"].dump(), R"([[8,"native"],[1024,"binomial"]])");
  EXPECT_EQ(curves[0]["limit"].size(), 2u);
  EXPECT_EQ(document["campaigns"][0]["decisions"].size(), 2u);
  EXPECT_TRUE(document["campaigns"][0]["decisions"][1]["size_max"].is_null());
  // A line for each of them, and a heading.
  const std::string csv = to_csv(document);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 6);
  EXPECT_THAT(csv, HasSubstr("table.json,bcast,8,2,1024,binomial,1e-05,"));
  EXPECT_THAT(to_markdown(document),
              HasSubstr("**2.00 times as fast as native**, geometric mean of 2 points; 1 of them"));
}

// Of a table that knows the whole network of such ranks.
TEST(Report, LimitsCountWhatGroupsLetThrough) {
  Table table = some_table();
  const auto limit_at = [&](std::size_t point) {
    return document_of(table)["campaigns"][0]["curves"][0]["limit"][point][1].get<double>();
  };
  const double of_ports = limit_at(1);
  Network network = Network::uniform({1e-6, 1e-9});
  network.hosts = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  network.groups = {{}, {.within = 0, .out = 1e-6}, {.within = 0, .out = 1e-6}};
  network.group_of = {1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
  table.links = network;
  EXPECT_DOUBLE_EQ(limit_at(1), 1024 * 1e-6);
  EXPECT_GT(limit_at(1), of_ports);
  table.links->hosts = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(limit_at(1), of_ports) << "eight ranks on eight hosts are others";
}

TEST(Report, SaysNothingOfTimesThatTheClockDidNotSee) {
  Table table = some_table();
  table.measurements[3].seconds = {0, 0, 0};
  table.measurements[3].ratio_to_native = {0, 0, 0};
  const auto document = document_of(table);
  EXPECT_EQ(document["campaigns"][0]["headline"]["points"], 2);
  EXPECT_EQ(document["campaigns"][0]["headline"]["geometric_mean"], 1);
  EXPECT_FALSE(document["campaigns"][0]["headline"].contains("largest"));
  EXPECT_THAT(to_markdown(document), Not(HasSubstr("inf")));
}

TEST(Report, KeepsALineOfValuesWhateverAFileIsCalled) {
  Findings findings;
  findings.campaigns.push_back({"a\nb.json", "table", {}, some_table()});
  EXPECT_THAT(to_csv(report_document(findings, "2026-03-01", "0.1.0")), HasSubstr("\n\"a\nb.json\",bcast,"));
}

TEST(Report, DrawsNoPlansOfThousandsOfOperations) {
  Table table = some_table();
  EXPECT_TRUE(document_of(table)["drawings"].contains("bcast binomial"));
  table.rule_sets[0] = {
      Collective::alltoall, {8, 2}, {{0, unlimited, plan_of(Collective::alltoall, "split(16)[linear]")}}};
  EXPECT_TRUE(document_of(table)["drawings"].empty());
}

TEST(Report, PutsNothingOfAFileIntoThePageUnescaped) {
  Table table = some_table();
  table.fingerprint.machine = "</script><script>alert(1)</script>";
  const std::string page = to_page(document_of(table));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert(1)")));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Report, KeepsFilesApartAndNamesBrokenOnes) {
  Findings findings;
  add_file(findings, "no-such-file.json");
  ASSERT_EQ(findings.problems.size(), 1u);
  EXPECT_THAT(findings.problems[0].message, HasSubstr("can't read no-such-file.json"));
  findings.campaigns.push_back({"a.json", "table", {"A", "x"}, some_table()});
  findings.campaigns.push_back({"b.json", "table", {"B", "y"}, some_table()});
  const auto document = report_document(findings, "2026-03-01", "0.1.0");
  EXPECT_EQ(document["campaigns"].size(), 2u);
  EXPECT_EQ(document["campaigns"][1]["mpi"], "B");
  EXPECT_EQ(document["problems"].size(), 1u);
}

std::size_t count_of(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  return static_cast<std::size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), {}));
}

std::size_t messages_of(const Schedule& schedule) {
  std::size_t messages = 0;
  for (const Part& part : schedule.parts)
    messages += static_cast<std::size_t>(
        std::ranges::count(part.operations(), OperationKind::send, &Operation::kind));
  return messages;
}

TEST(Drawing, HasAnArrowForEveryMessage) {
  const Network network = Network::uniform({.alpha = 1e-5, .beta = 1e-8});
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective)) {
      const Setting setting{.ranks = 8};
      if (plan.is_native() || plan.is_computed() || plan.refusal(setting)) continue;
      const Schedule schedule = generate(plan, shape_of(plan, setting, 0, 8 << 20));
      for (const Timetable& timetable :
           {timetable_in_rounds(schedule), timetable_on(schedule, 8 << 20, network)}) {
        const std::string svg = draw(schedule, timetable, plan.text());
        EXPECT_EQ(count_of(svg, "<g class=\"message"), messages_of(schedule))
            << name(plan.collective()) << " " << plan.text();
        EXPECT_EQ(count_of(svg, "<line class=\"lane\""), 8u);
        EXPECT_THAT(svg, Not(HasSubstr("nan")));
        EXPECT_THAT(svg, Not(HasSubstr("-inf")));
        EXPECT_EQ(count_of(svg, "<g[ >]"), count_of(svg, "</g>"));
      }
    }
}

TEST(Drawing, FoldsManyRanksByHosts) {
  const Plan plan = plan_of(Collective::bcast, "grid(node)[binomial,binomial]");
  const Hosts hosts = hosts_of(256, 16);
  const Schedule schedule = generate(plan, shape_of(plan, {.ranks = 256, .hosts = &hosts}, 0, 1000));
  const std::string svg = draw(schedule, timetable_in_rounds(schedule), "folded");
  EXPECT_EQ(count_of(svg, "<line class=\"lane\""), 16u);
  EXPECT_EQ(count_of(svg, "<g class=\"message"), 15u);
  EXPECT_THAT(svg, HasSubstr("255 messages between 256 ranks, 240 of them within a line are not drawn"));
}

// By what phases its messages are drawn as, other than the legend.
std::map<std::string, std::size_t> messages_by_phase(const std::string& svg) {
  std::map<std::string, std::size_t> found;
  for (const char* phase : {"phase-0", "phase-1", "phase-2"})
    found[phase] = count_of(svg, fmt::format("<g class=\"message {}\"", phase));
  return found;
}

TEST(Drawing, TellsThePhasesOfACompositionApart) {
  // A broadcast from rank 0 on rows of four, then in columns of two; only the first row has the
  // first phase.
  const Plan grid = plan_of(Collective::bcast, "grid(4x2)[linear,linear]");
  const Schedule schedule = generate(grid, shape_of(grid, {.ranks = 8}, 0, 1000));
  const std::string svg = draw(schedule, timetable_in_rounds(schedule), "grid");
  const auto by_phase = messages_by_phase(svg);
  EXPECT_EQ(by_phase.at("phase-0") + by_phase.at("phase-1"), 7u);
  EXPECT_THAT(by_phase.at("phase-0"), testing::AnyOf(1u, 3u));
  EXPECT_EQ(by_phase.at("phase-2"), 0u);
  EXPECT_EQ(count_of(svg, "class=\"legend message"), 2u);
  // There is nothing to tell of one algorithm.
  const Plan plain = plan_of(Collective::bcast, "binomial");
  const Schedule one = generate(plain, shape_of(plain, {.ranks = 8}, 0, 1000));
  EXPECT_THAT(draw(one, timetable_in_rounds(one), "x"), Not(HasSubstr("class=\"message phase")));
}

TEST(Drawing, GivesNativePhasesARoundEach) {
  const Plan grid = plan_of(Collective::bcast, "grid(4x2)[native,native]");
  const Schedule schedule = generate(grid, shape_of(grid, {.ranks = 8}, 0, 1000));
  const Timetable timetable = timetable_in_rounds(schedule);
  EXPECT_EQ(timetable.end, 2);
  for (const auto& step : timetable.steps) EXPECT_EQ(step.end - step.start, 1);
}

TEST(Drawing, MarksTheCriticalPath) {
  const Plan plan = plan_of(Collective::bcast, "binomial");
  const Schedule schedule = generate(plan, shape_of(plan, {.ranks = 8}, 0, 1000));
  const Network network = Network::uniform({.alpha = 1e-5, .beta = 1e-8});
  EXPECT_EQ(count_of(draw(schedule, timetable_on(schedule, 1000, network), "x"), "message critical"), 3u);
  EXPECT_EQ(count_of(draw(schedule, timetable_in_rounds(schedule), "x"), "message critical"), 0u);
}

}  // namespace
}  // namespace tutti
