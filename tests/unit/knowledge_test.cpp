// What was learned, as it is kept: written, read, merged, made to fade, and by many at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "learning/knowledge_store.hpp"
#include "learning/knowledge_table.hpp"
#include "some_knowledge.hpp"
#include "text/file.hpp"

namespace tutti {
namespace {

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

}  // namespace
}  // namespace tutti
