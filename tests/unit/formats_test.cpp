// Files of every version that Tutti has ever written are read for ever: one of each lies in
// tests/formats. A version's file is never changed; a new version gets one more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>

#include "base/file.hpp"
#include "choose/evidence/knowledge.hpp"
#include "choose/evidence/table.hpp"
#include "choose/profile/profile.hpp"
#include "core/network/network_file.hpp"
#include "core/network/runtime_model.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

// What is wrong with a file, or with what is read out of it; "" if nothing.
using Check = std::function<std::string(const std::string& text)>;

template <typename Parse, typename Holds>
Check reads(Parse parse, Holds holds) {
  return [=](const std::string& text) -> std::string {
    const auto read = parse(text, "file");
    if (!read) return read.error().message;
    return holds(*read) ? "" : "is read, but not what it says";
  };
}

const std::map<std::string, Check> current{
    {"table-1", reads(parse_table,
                      [](const Table& table) {
                        return table.fingerprint.machine == "a machine" && table.exact &&
                               table.rule_sets.size() == 1 && table.rule_sets[0].rules.size() == 1 &&
                               table.measurements.front().size == 64;
                      })},
    {"network-1",
     reads(parse_network,
           [](const Network& network) { return !network.links.empty() && network.known_ranks() > 0; })},
    {"network-1-named", reads(parse_network,
                              [](const Network& network) {
                                return network.host_names.size() == 4 && network.host_names[3] == "node4";
                              })},
    {"network-1-torus",
     reads(parse_network,
           [](const Network& network) { return network.torus && network.torus->distance(0, 2) == 2; })},
    {"model-1", reads(parse_runtime_model,
                      [](const RuntimeModel& model) {
                        return !model.entries.empty() && model.entries[0].collective == Collective::gather &&
                               model.entries[0].plan == "linear";
                      })},
    {"knowledge-1", reads(parse_knowledge,
                          [](const Knowledge& knowledge) {
                            return knowledge.machine == "a processor, 2 cores" && !knowledge.classes.empty();
                          })},
    {"knowledge-1-compared", reads(parse_knowledge,
                                   [](const Knowledge& knowledge) {
                                     const EvidenceByPlan& plans = knowledge.classes.begin()->second;
                                     return plans.at("bruck").against_others.at("circulant").count == 24 &&
                                            plans.at("native").alone == 0.0625;
                                   })},
    {"knowledge-1-neighbors", reads(parse_knowledge,
                                    [](const Knowledge& knowledge) {
                                      const auto& [key, plans] = *knowledge.classes.begin();
                                      return key.calls.is_shared() && key.calls == key.calls.as_shared() &&
                                             plans.at("native").calls == 80;
                                    })},
    {"profile-1", reads(parse_profile,
                        [](const Profile& profile) {
                          return profile.ranks == 4 && profile.seconds == 0.5 && !profile.calls.empty();
                        })},
    {"profile-1-late", reads(parse_profile,
                             [](const Profile& profile) {
                               const SampledCalls& sampled = profile.calls.rbegin()->second.sampled;
                               return sampled.of == 200 && sampled.calls.size() == 8 &&
                                      text_of(late_ranks(sampled)) ==
                                          "rank 3 is late in 10 of 10 calls, by 2 ms";
                             })},
};

std::filesystem::path folder() {
  return std::filesystem::path(TUTTI_SOURCE_DIR) / "tests" / "formats";
}

TEST(Formats, OfEveryVersionAreRead) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string name = entry.path().stem();
    ASSERT_TRUE(current.contains(name)) << name << ": nobody says what it holds";
    EXPECT_EQ(current.at(name)(read_file(entry.path()).value()), "") << name;
    ++files;
  }
  EXPECT_EQ(files, static_cast<int>(current.size()));
}

TEST(Formats, OfLaterVersionsAreNamedAsSuch) {
  for (const auto& [name, check] : current) {
    const std::string text = read_file(folder() / (name + ".json")).value();
    // "kind-1", or "kind-1-what it has that others don't"
    const std::string kind = name.substr(0, name.find('-')), schema = "tutti-" + kind + "-1";
    const auto with = [&](const std::string& other) {
      std::string changed = text;
      return check(changed.replace(changed.find(schema), schema.size(), other));
    };
    EXPECT_THAT(with("tutti-" + kind + "-12"), HasSubstr("use the newer Tutti that wrote it")) << name;
    EXPECT_THAT(with("tutti-" + kind + "-0"), testing::Not(HasSubstr("newer"))) << name;
    EXPECT_THAT(with("tutti-" + kind + "-x"), testing::Not(HasSubstr("newer"))) << name;
  }
}

}  // namespace
}  // namespace tutti
