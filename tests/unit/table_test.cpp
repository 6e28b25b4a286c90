#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "choose/evidence/table.hpp"
#include "choose/offline/guidelines.hpp"
#include "choose/offline/tuner.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

Table small_table() {
  Table table{{"Open MPI 4.1.4", "a processor, 2 cores"}, {1e-6, 1e-9}, {}, {}};
  table.rule_sets.push_back(
      {Collective::bcast,
       {4, 1},
       rules_from(Collective::bcast, {{1024, Plan::native(Collective::bcast)},
                                      {4096, Plan::of(Collective::bcast, "binomial")}})});
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

// Which groups ranks are in shows where the program runs.
TEST(Table, PlansByGroupsAreReadAsTheyAreWritten) {
  Table table = small_table();
  RuleSet& set = table.rule_sets.front();
  set.rules = {{0, unlimited, make_plan(set.collective, "grid(group)[binomial]").value()}};
  const auto read = parse_table(to_text(table), "t.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->rule_sets.front().rules.front().plan, set.rules.front().plan);
}

TEST(Table, ProgramsReadMeasurementsOnceTheyAskForThem) {
  Table table = small_table();
  EXPECT_TRUE(parse_table_for_program(to_text(table), "t.json")->known_measurements().empty())
      << "it serves only what was tuned";
  table.exact = false;
  table.model = Network::uniform({1e-6, 1e-9});
  table.measurements.front().plan = "native";
  const std::string text = to_text(table);
  const auto read = parse_table_for_program(text, "t.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->measurements.empty());
  for (const char* asked : {"once", "again"}) {
    EXPECT_EQ(read->known_measurements().size(), 1u) << asked;
    EXPECT_EQ(to_text(*read), text) << asked;
    EXPECT_EQ(read->complaint(), "") << asked;
  }
}

TEST(Table, ProgramsGoWithoutMeasurementsThatAreWrong) {
  Table table = small_table();
  table.exact = false;
  table.model = Network::uniform({1e-6, 1e-9});
  std::string text = to_text(table);
  const std::string half = text.substr(0, text.size() / 2);
  EXPECT_EQ(parse_table_for_program(half, "t.json").error().message,
            parse_table(half, "t.json").error().message);
  text.replace(text.find("median_s"), 8, "medium_s");
  EXPECT_FALSE(parse_table(text, "t.json"));
  const auto read = parse_table_for_program(text, "t.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->complaint(), "") << "they are unread";
  EXPECT_TRUE(read->known_measurements().empty());
  EXPECT_THAT(read->complaint(), HasSubstr("table t.json: its measurements are damaged"));
  EXPECT_NE(read->find(Collective::bcast, {4, 1}), nullptr);
}

// Commands name files, and names of files may be no UTF-8.
TEST(Table, TellsOfCommandsWithAnyBytes) {
  Table named = small_table();
  named.origin = Origin{"tutti tune -o caf\xe9.json", "2026-03-01", 1, "0.1.0"};
  const auto table = parse_table(to_text(named), "t.json");
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->origin->command, "tutti tune -o caf\xef\xbf\xbd.json");
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
  EXPECT_THAT(table_error(text, "\"alpha_s\": ", "\"alpha_s\": 1e200, \"alpha\": "),
              HasSubstr("alpha_s: 1e+200 is no number from 0 to 1e+30"));
  EXPECT_THAT(table_error(text, "\"median_s\": ", "\"median_s\": 1e200, \"median\": "),
              HasSubstr("median_s: 1e+200 is no number"));
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

TEST(Table, ServesFromTheFirstNumberToTheLast) {
  const Plan plan = Plan::of(Collective::bcast, "binomial");
  const RuleSet anywhere{Collective::bcast, {5, RuleSet::any_hosts}, {{64, 1024, plan}}, 64},
      on_two_hosts{Collective::bcast, {5, 2}, {{0, unlimited, plan}}, 5};
  for (const auto& [ranks, is_served] : {std::pair{4, false}, {5, true}, {64, true}, {65, false}})
    EXPECT_EQ(anywhere.serves({ranks, 3}), is_served) << ranks;
  EXPECT_TRUE(on_two_hosts.serves({5, 2}));
  EXPECT_FALSE(on_two_hosts.serves({5, 1}) || on_two_hosts.serves({5, 3}) || on_two_hosts.serves({6, 2}));
  for (const std::size_t size : {63u, 1025u}) EXPECT_EQ(anywhere.find(size), nullptr) << size;
  for (const std::size_t size : {64u, 1024u}) EXPECT_NE(anywhere.find(size), nullptr) << size;
  EXPECT_NE(on_two_hosts.find(unlimited), nullptr);
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

TEST(Table, BelongsToItsTransportAndFabric) {
  const Fingerprint tcp{"Open MPI 4.1.4", "x", "ob1 (vader)", "ob1 (tcp), Ethernet 10 Gb/s", "core"};
  Fingerprint infiniband = tcp;
  infiniband.fabric = "ucx, InfiniBand 100 Gb/s";
  const std::string why = foreign(tcp, infiniband).value();
  EXPECT_THAT(why, HasSubstr("between hosts over 'ob1 (tcp), Ethernet 10 Gb/s', but this is 'ucx, Infini"));
  EXPECT_THAT(why, HasSubstr("\"fabric\": \"any\""));
  Fingerprint loopback = tcp;
  loopback.transport = "ob1 (tcp)";
  EXPECT_THAT(foreign(tcp, loopback).value(), HasSubstr("within hosts over 'ob1 (vader)'"));
  // A table of one host names no fabric; one of an older version nothing but MPI and machine.
  Fingerprint of_one_host = tcp;
  of_one_host.fabric.clear();
  EXPECT_FALSE(foreign(of_one_host, infiniband));
  const Fingerprint old{"Open MPI 4.1.4", "x"};
  EXPECT_FALSE(foreign(old, infiniband));
  EXPECT_THAT(unlike(old, infiniband).value(), HasSubstr("does not say what carried its messages"));
  Fingerprint allowed = tcp;
  allowed.fabric = "any";
  EXPECT_FALSE(foreign(allowed, infiniband));
  // Ranks are bound by their number, by launchers: that is said only.
  Fingerprint unbound = tcp;
  unbound.binding = "nothing";
  EXPECT_FALSE(foreign(tcp, unbound));
  EXPECT_THAT(unlike(tcp, unbound).value(), HasSubstr("bound to 'core', and here it is 'nothing'"));
  EXPECT_FALSE(unlike(tcp, tcp));
}

TEST(Table, KeepsWhereItWasMeasuredAndWhatServesThere) {
  Table table = small_table();
  table.fingerprint = {"Open MPI 5.0.7", "x", "ob1 (sm)", "ob1 (tcp), Ethernet", "core"};
  table.components = {{"han", 35, {Collective::bcast}}, {"tuned", 30}};
  const auto again = parse_table(to_text(table), "t.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->fingerprint, table.fingerprint);
  EXPECT_EQ(again->components, table.components);
}

}  // namespace
}  // namespace tutti
