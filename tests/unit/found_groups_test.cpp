#include "choose/evidence/found_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/evidence/knowledge.hpp"
#include "core/schedule/fnv1a.hpp"

namespace tutti {
namespace {

using Groups = std::map<std::string, std::vector<std::string>>;

FoundGroups found(const Groups& groups, Day last) {
  return {whereabouts_of(groups, "a test").value(), last};
}

std::vector<std::uint64_t> ids(const std::vector<std::string>& hosts) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& host : hosts) numbers.push_back(fnv1a(host));
  return numbers;
}

TEST(FoundGroups, ServeJobsOnSomeOfTheHosts) {
  std::vector<FoundGroups> known;
  add(known, found({{"a", {"s0", "all"}}, {"b", {"s0", "all"}}, {"c", {"s1", "all"}}}, 20000));
  EXPECT_EQ(found_of(known, ids({"a", "d"})), nullptr);
  const FoundGroups* const some = found_of(known, ids({"c", "a", "c"}));
  ASSERT_NE(some, nullptr);
  const auto groups = groups_of_hosts(some->whereabouts, ids({"c", "a", "b", "c"}));
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[1], groups[2]);
  EXPECT_EQ(groups[0], groups[3]);
  EXPECT_EQ(groups[0].front(), groups[1].front()) << "the outermost first";
  EXPECT_NE(groups[0].back(), groups[1].back());
}

TEST(FoundGroups, TakeThePlaceOfThoseOfFewerHosts) {
  std::vector<FoundGroups> known;
  const Groups two{{"a", {"all"}}, {"b", {"all"}}}, three{{"a", {"all"}}, {"b", {"all"}}, {"c", {"all"}}};
  add(known, found(two, 20000));
  add(known, found(three, 20000));
  ASSERT_EQ(known.size(), 1u);
  add(known, found(two, 20000));
  EXPECT_EQ(known.size(), 1u) << "nothing new";
  add(known, found(two, 20001));
  EXPECT_EQ(known.size(), 2u);
  EXPECT_EQ(found_of(known, ids({"a"}))->last, 20001) << "found last";
  for (Day day = 20002; day < 20020; ++day)
    add(known, found({{"host-" + std::to_string(day), {"all"}}, {"a", {"all"}}}, day));
  EXPECT_EQ(known.size(), 8u);
}

TEST(FoundGroups, AreKeptWithTheKnowledgeAndGoInTime) {
  Knowledge knowledge{.machine = "here", .classes = {}, .networks = {}};
  add(knowledge.groups, found({{"a", {"s0", "all"}}, {"b", {"s1", "all"}}}, 20000));
  EXPECT_FALSE(knowledge.empty());
  const std::string text = to_text(knowledge);
  Knowledge again = parse_knowledge(text, "again").value();
  EXPECT_EQ(to_text(again), text);
  ASSERT_EQ(parse_found_groups(text).size(), 1u);
  EXPECT_EQ(groups_of_host(parse_found_groups(text).front().whereabouts, "b"),
            (std::vector<std::string>{"all", "s1"}));
  EXPECT_TRUE(parse_found_groups("{").empty());
  EXPECT_TRUE(
      parse_found_groups(R"({"groups_of_hosts": [{"last": "2026-03-01", "hosts": {"a": []}}]})").empty());
  Knowledge other{.machine = "here", .classes = {}, .networks = {}};
  other.merge(again);
  EXPECT_EQ(other.groups.size(), 1u);
  again.fade(20060);
  EXPECT_EQ(again.groups.size(), 1u);
  again.fade(20061);
  EXPECT_TRUE(again.groups.empty());
}

TEST(FoundGroups, ThatContradictThemselvesAreNotRead) {
  EXPECT_THAT(whereabouts_of({{"a", {"s0", "all"}}, {"b", {"s0", "row"}}}, "of a test").error().message,
              testing::AllOf(testing::HasSubstr("of a test"),
                             testing::HasSubstr("s0 is within row, and within all")));
}

}  // namespace
}  // namespace tutti
