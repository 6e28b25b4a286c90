// Variables: each default is a value of its kind, and what is read comes back.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "base/duration.hpp"
#include "base/file.hpp"
#include "base/share.hpp"
#include "choose/settings/forced_plans.hpp"
#include "choose/settings/variables.hpp"
#include "core/network/network_file.hpp"

namespace tutti {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Settings, DefaultsAreValuesThatMeanThemselves) {
  for (const Variable& variable : variables()) {
    if (variable.default_value().empty()) continue;
    Configuration read;
    EXPECT_EQ(variable.kind.read(variable.default_value(), {}, read), std::nullopt) << variable.name;
    EXPECT_EQ(variable.kind.show(read), variable.default_value()) << variable.name;
  }
}

TEST(Settings, EachIsDeclaredOnceAndSaysWhatItMeans) {
  std::set<std::string> names;
  for (const Variable& variable : variables()) {
    EXPECT_TRUE(names.insert(variable.name).second) << variable.name;
    EXPECT_FALSE(variable.meaning.empty() || variable.kind.values.empty()) << variable.name;
  }
}

TEST(Settings, NothingIsTakenOfAValueThatIsNotUnderstood) {
  const Variable& limits = *find_variable("TUTTI_LIMITS");
  Configuration configuration;
  EXPECT_TRUE(limits.kind.read("messages=8,bytes=none", {}, configuration));
  EXPECT_EQ(limits.kind.show(configuration), limits.default_value());
  const Variable& learn = *find_variable("TUTTI_LEARN");
  for (const char* wrong : {"1,5%", "1,5,20ms", "1,101%,1s", "1,-1%,1s", "2", "1,5%,20ms,1", ""}) {
    EXPECT_TRUE(learn.kind.read(wrong, {}, configuration)) << wrong;
    EXPECT_EQ(learn.kind.show(configuration), learn.default_value()) << wrong;
  }
}

// A program may go elsewhere before it ends.
TEST(Settings, ProfilesLieWhereTheProgramBegan) {
  Configuration configuration;
  ASSERT_EQ(find_variable("TUTTI_PROFILE")->kind.read("of/program.json", {}, configuration), std::nullopt);
  EXPECT_EQ(configuration.profile, (std::filesystem::current_path() / "of/program.json").string());
  ASSERT_EQ(find_variable("TUTTI_PROFILE")->kind.read("/dev/stdout", {}, configuration), std::nullopt);
  EXPECT_EQ(configuration.profile, "/dev/stdout");
}

TEST(Settings, RulesGoFromRankToRank) {
  Configuration configuration;
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"TUTTI_LEARN", "1,7%,3ms"}, {"TUTTI_ALLREDUCE", "0-4K=recursive_doubling; ring"}}) {
    ASSERT_EQ(find_variable(name)->kind.read(value, {}, configuration), std::nullopt);
    configuration.rules.settings[name] = value;
  }
  const std::string text = to_text(configuration.rules);
  const Rules there = rules_in(text);
  EXPECT_TRUE(there.learn);
  EXPECT_DOUBLE_EQ(there.learning.cost_share, 0.07);
  EXPECT_EQ(there.forced[{Collective::allreduce}].size(), 2u);
  EXPECT_EQ(to_text(there), text);
}

TEST(ForcedPlans, TheFirstThatHasASizeServesIt) {
  const auto rules = parse_forced_plans(Collective::bcast, " 0-4K = binomial;64K-=linear ; knomial(8)");
  ASSERT_TRUE(rules) << rules.error().message;
  EXPECT_EQ(find_rule(*rules, 4096)->plan.text(), "binomial");
  EXPECT_EQ(find_rule(*rules, 4097)->plan.text(), "knomial(8)");
  EXPECT_EQ(find_rule(*rules, 65536)->plan.text(), "linear");
}

TEST(ForcedPlans, ErrorsNameTheRangeOrThePlan) {
  const auto error = [](const std::string& text) {
    return parse_forced_plans(Collective::bcast, text).error().message;
  };
  EXPECT_THAT(error("0-4K=binomal"), HasSubstr("no plan 'binomal'"));
  EXPECT_THAT(error("4K=binomial"), HasSubstr("'4K' is no range"));
  EXPECT_THAT(error("0-x=binomial"), HasSubstr("'x' is not a size"));
  EXPECT_THAT(error("8-4=binomial"), HasSubstr("ends before it begins"));
  EXPECT_THAT(error("0-4K"), HasSubstr("names no plan"));
}

TEST(Settings, AreALineEachInFiles) {
  const auto settings = parse_settings("# all\n\n  TUTTI_STATS=1 \r\nTUTTI_TABLE=not here.json\n", "file");
  EXPECT_THAT(settings.complaints, IsEmpty());
  EXPECT_EQ(settings.values,
            (std::map<std::string, std::string>{{"TUTTI_STATS", "1"}, {"TUTTI_TABLE", "not here.json"}}));
}

TEST(Settings, LinesThatAreRightCountBesideWrongOnes) {
  const auto settings = parse_settings("\nTUTTI_STAT=1\nTUTTI_STATS=1\nTUTTI_LEARN=maybe", "file");
  EXPECT_EQ(settings.values, (std::map<std::string, std::string>{{"TUTTI_STATS", "1"}}));
  EXPECT_THAT(settings.complaints,
              ElementsAre(HasSubstr("settings file: line 2: no such variable (did you mean 'TUTTI_STATS'?)"),
                          HasSubstr("settings file: line 4: 'maybe' is not a value of it")));
}

// A folder with a table for each of these fabrics, by name.
std::string folder_of_tables(const std::vector<std::string>& fabrics) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("tutti-tables-{}", getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  for (std::size_t i = 0; i < fabrics.size(); ++i) {
    Table table;
    table.fingerprint = {"MPI 1", "machine", "shared", fabrics[i]};
    EXPECT_TRUE(write_file((folder / fmt::format("{}.json", i)).string(), to_text(table)));
  }
  return folder.string();
}

// Of a job on other hosts than were probed, or on some of them, the hosts' names tell where it is.
TEST(Settings, TakeANetworkOfOtherRanksWhereItKnowsItsHosts) {
  const std::string path = testing::TempDir() + "settings_network_of_hosts.json";
  const auto complaint_of = [&](Network network) {
    EXPECT_TRUE(write_file(path, to_text(network)));
    Configuration configuration;
    return find_variable("TUTTI_NETWORK")->kind.read(path, {.ranks = 3}, configuration).value_or("");
  };
  Network network = Network::uniform({.alpha = 1e-6, .beta = 1e-9});
  network.hosts = {0, 1};
  EXPECT_THAT(complaint_of(network), HasSubstr("is of 2 ranks, and there are 3; probe with as many"));
  network.host_names = {"a", "b"};
  EXPECT_EQ(complaint_of(network), "");
}

// Ranks compare that hash, and hand rules on only where it differs.
TEST(Settings, RulesHaveTheHashOfWhatTheyWereReadFrom) {
  const auto hash_of = [](const std::string& table, const std::string& learning) {
    Job job;
    job.fingerprint = {"MPI 1", "machine", "shared", "InfiniBand"};
    Configuration configuration;
    EXPECT_EQ(find_variable("TUTTI_TABLE")->kind.read(table, job, configuration), std::nullopt);
    configuration.rules.settings["TUTTI_LEARN"] = learning;
    return configuration.rules.hash();
  };
  const std::string folder = folder_of_tables({"InfiniBand", "any"});
  const std::string first = folder + "/0.json", second = folder + "/1.json";
  const std::uint64_t hash = hash_of(first, "1");
  EXPECT_EQ(hash_of(first, "1"), hash);
  EXPECT_EQ(hash_of(folder, "1"), hash) << "the first of the folder serves";
  EXPECT_NE(hash_of(second, "1"), hash);
  EXPECT_NE(hash_of("builtin", "1"), hash);
  EXPECT_NE(hash_of(first, "0"), hash);
  const auto hash_by_network = [&](double seconds_a_byte) {
    const std::string path = folder + "/network";
    EXPECT_TRUE(write_file(path, to_text(Network::uniform({1e-6, seconds_a_byte}))));
    Configuration configuration;
    EXPECT_EQ(find_variable("TUTTI_NETWORK")->kind.read(path, {}, configuration), std::nullopt);
    return configuration.rules.hash();
  };
  EXPECT_EQ(hash_by_network(1e-9), hash_by_network(1e-9));
  EXPECT_NE(hash_by_network(1e-9), hash_by_network(2e-9));
}

// Before MPI begins only what tables decide is looked at: measurements name plans, too.
TEST(Settings, TellWhatTablesDecideBeforeMpiBegins) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("tutti-decides-{}", getpid());
  const auto tells = [&](Mode mode, const char* plan, std::size_t bytes_before = 0) {
    Table table;
    table.rule_sets.push_back(
        {Collective::bcast, {4, 1}, {{0, unlimited, make_plan(Collective::bcast, plan).value()}}});
    table.rule_sets.back().mode = mode;
    for (const Mode measured : {Mode::blocking, Mode::nonblocking}) {
      table.measurements.push_back({.collective = Collective::bcast, .ranks = 4, .hosts = 1, .size = 8});
      table.measurements.back().plan = "native(binomial)";
      table.measurements.back().mode = measured;
    }
    const std::string before = fmt::format("{{\"further\": \"{}\",", std::string(bytes_before, 'x'));
    EXPECT_TRUE(write_file(path.string(), before + to_text(table).substr(1)));
    setenv("TUTTI_TABLE", path.c_str(), 1);
    const std::pair told(names_nonblocking_plans(), names_library_algorithms());
    unsetenv("TUTTI_TABLE");
    std::filesystem::remove(path);
    return told;
  };
  EXPECT_EQ(tells(Mode::blocking, "binomial"), std::pair(false, false));
  EXPECT_EQ(tells(Mode::nonblocking, "binomial"), std::pair(true, false));
  EXPECT_EQ(tells(Mode::persistent, "binomial"), std::pair(true, false));
  EXPECT_EQ(tells(Mode::blocking, "native(binomial)"), std::pair(false, true));
  // Files are read in pieces.
  for (const std::size_t before : {30'000U, 100'000U, 1'000'000U})
    EXPECT_EQ(tells(Mode::nonblocking, "native(binomial)", before), std::pair(true, true)) << before;
}

TEST(Settings, TellBeforeMpiBeginsWhetherPlansMayBeLearnt) {
  const auto asks = [](const char* value) {
    value ? setenv("TUTTI_LEARN", value, 1) : unsetenv("TUTTI_LEARN");
    const bool asked = asks_to_learn();
    unsetenv("TUTTI_LEARN");
    return asked;
  };
  EXPECT_TRUE(asks("1"));
  EXPECT_TRUE(asks("1,5%,20ms"));
  for (const char* value : {static_cast<const char*>(nullptr), "0", "guard", "perhaps"})
    EXPECT_FALSE(asks(value)) << (value ? value : "unset");
}

TEST(TableOfAFolder, IsTheFirstThatServesOverWhatCarriesMessages) {
  const auto read = [](const std::string& folder, const std::string& fabric) {
    Job job;
    job.fingerprint = {"MPI 1", "machine", "shared", fabric};
    Configuration configuration;
    const auto complaint = find_variable("TUTTI_TABLE")->kind.read(folder, job, configuration);
    return complaint ? "none: " + *complaint : configuration.rules.table->fingerprint.fabric;
  };
  const std::string folder = folder_of_tables({"InfiniBand", "Ethernet", "any"});
  EXPECT_EQ(read(folder, "InfiniBand"), "InfiniBand");
  EXPECT_EQ(read(folder, "Ethernet"), "Ethernet");
  EXPECT_EQ(read(folder, "Slingshot"), "any");
  EXPECT_THAT(
      read(folder_of_tables({"InfiniBand", "Ethernet"}), "Slingshot"),
      AllOf(HasSubstr("none: no table in"), HasSubstr("over 'InfiniBand'"), HasSubstr("over 'Ethernet'")));
  EXPECT_THAT(read(folder_of_tables({}), "Slingshot"), HasSubstr("can serve here"));
  std::filesystem::remove_all(folder);
}

TEST(Duration, HasOneGrammar) {
  EXPECT_DOUBLE_EQ(*parse_duration("20ms"), 0.020);
  EXPECT_DOUBLE_EQ(*parse_duration("2m"), 120);
  EXPECT_DOUBLE_EQ(*parse_duration("1.5h"), 5400);
  EXPECT_DOUBLE_EQ(*parse_duration("30"), 30);
  EXPECT_DOUBLE_EQ(*parse_duration("7us"), 7e-6);
  for (const char* wrong : {"", "s", "-1s", "1 s", "1min", "inf", "nan", "1e400", "1e308h"})
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(Share, HasOneGrammar) {
  EXPECT_DOUBLE_EQ(parse_share("5%").value(), 0.05);
  EXPECT_DOUBLE_EQ(parse_share("100%").value(), 1);
  for (const char* wrong : {"", "%", "5", "-1%", "5 %", "101%", "nan%", "5%%"})
    EXPECT_FALSE(parse_share(wrong)) << wrong;
  EXPECT_EQ(share_text(0.046), "5 %");
  EXPECT_EQ(share_text(0.0461, 1), "4.6 %");
}

}  // namespace
}  // namespace tutti
