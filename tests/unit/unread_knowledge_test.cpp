// What a program reads of a file of knowledge that many share: what it asks for, and no more.

#include "choose/evidence/unread_knowledge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/json_members.hpp"
#include "some_knowledge.hpp"

namespace tutti {
namespace {

using ::testing::HasSubstr;

constexpr const char *open_mpi = "Open MPI 4.1.4", *mpich = "MPICH 4.0.2";

// Classes of two MPI libraries, of some numbers of ranks, kinds of calls and sizes, as of `day`.
Knowledge knowledge_of_many(Day day) {
  Knowledge known = some_knowledge();
  known.classes.clear();
  known.as_of = day;
  for (const char* mpi : {open_mpi, mpich})
    for (const int ranks : {2, 4, 7})
      for (const Collective collective : {Collective::bcast, Collective::allreduce})
        for (const Mode mode : {Mode::blocking, Mode::nonblocking})
          for (const std::size_t bytes : {8, 5000}) {
            const CallClass calls{.collective = collective,
                                  .placement = {ranks, 1},
                                  .size = SizeClass::of(bytes),
                                  .mode = mode};
            auto& plans = known.classes[{mpi, calls, ranks == 7 ? "ob1 (vader)" : ""}];
            plans = {{"native", evidence(1, 20 + ranks)}, {"binomial", evidence(0.7, 20)}};
            if (collective == Collective::allreduce) plans.erase("binomial");
            for (auto& [plan, seen] : plans) seen.first = seen.last = day;
          }
  return known;
}

const auto everything = [](const UnreadClass&) { return true; };

// Other programs write JSON so: members are sorted by their names, and stand on lines or on one.
std::string rewritten(const std::string& text, int indent) {
  return nlohmann::json::parse(text).dump(indent);
}

TEST(UnreadKnowledge, IsAllOfItInTheEnd) {
  for (const auto& [day, indent] : {std::pair(today(), 0), {today() - 100, 4}, {today() + 1000, -1}}) {
    const std::string text = rewritten(to_text(knowledge_of_many(day)), indent);
    Knowledge all = parse_knowledge(text, "file").value();
    all.fade_as_of(today());
    auto unread = UnreadKnowledge::of(text, "file", open_mpi);
    ASSERT_TRUE(unread) << unread.error().message;
    Knowledge read = unread->without_classes();
    EXPECT_TRUE(read.classes.empty());
    EXPECT_EQ(read.networks.size(), 1);
    for (const int ranks : {9, 4, 2, 9, 7})  // none is of 9
      read.merge(unread->read([&](const UnreadClass& one) {
                         return one.placement == Placement{ranks, 1};
                       })
                     .value());
    all.drop([](const Knowledge::Key& key) { return key.mpi != open_mpi; });
    EXPECT_EQ(to_text(read), to_text(all));
    EXPECT_TRUE(unread->read(everything).value().classes.empty()) << "all was read";
  }
}

TEST(UnreadKnowledge, IsReadByCallsOnce) {
  auto unread = UnreadKnowledge::of(to_text(knowledge_of_many(today())), "file", mpich).value();
  const auto wanted = [](const UnreadClass& one) { return one.called == "iallreduce"; };
  const auto found = unread.read(wanted);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->classes.size(), 6);
  for (const auto& [key, plans] : found->classes) EXPECT_EQ(key.calls.called().name(), "iallreduce");
  EXPECT_TRUE(unread.read(wanted)->classes.empty());
  EXPECT_EQ(unread.read(everything)->classes.size(), 18);
}

// What is wrong elsewhere in the file disturbs nobody.
TEST(UnreadKnowledge, IsWrongWhereItIsRead) {
  std::string text = to_text(knowledge_of_many(today()));
  const auto at = text.rfind("\"collective\": \"iallreduce\"");  // on 7 ranks
  text.replace(at, 26, "\"collective\": \"everybody\"");
  auto unread = UnreadKnowledge::of(text, "file", open_mpi).value();
  const auto on = [&](int ranks) {
    return unread.read([ranks](const UnreadClass& one) { return one.placement.ranks == ranks; });
  };
  EXPECT_EQ(on(4)->classes.size(), 8);
  EXPECT_THAT(on(7).error().message, HasSubstr("knowledge file: no collective 'everybody'"));
  EXPECT_TRUE(on(7)) << "that was said";
  for (const char* cut : {"\"classes\"", "\"plans\"", "\"ranks\""})
    EXPECT_THAT(UnreadKnowledge::of(text.substr(0, text.rfind(cut)), "file", open_mpi).error().message,
                HasSubstr("knowledge file: is not JSON"))
        << cut;
}

// Where one class ends and the next begins is not told: the file is left alone.
TEST(UnreadKnowledge, IsWrongWhereClassesAreNotApart) {
  const Knowledge news = knowledge_of_many(today());
  std::string text = to_text(news);
  text.erase(text.rfind("},\n  {\n   \"mpi\"") + 1, 1);
  EXPECT_THAT(with_news(text, "file", news).error().message, HasSubstr("knowledge file: is not JSON"));
  auto unread = UnreadKnowledge::of(text, "file", open_mpi).value();
  EXPECT_THAT(unread.read(everything).error().message, HasSubstr("knowledge file: is not JSON"));
  EXPECT_TRUE(unread.read(everything)) << "that was said";
}

TEST(UnreadKnowledge, IsAddedToLikeKnowledge) {
  Knowledge news = knowledge_of_many(today());
  news.drop([](const Knowledge::Key& key) { return key.calls.placement.ranks == 4 || key.mpi == mpich; });
  news.classes[{open_mpi, {Collective::scan, {4, 2}, SizeClass::of(8)}}] = {{"native", evidence(1, 5)}};
  news.as_of = 0;
  for (const Day day : {today(), today() - 100}) {
    const std::string before = to_text(knowledge_of_many(day));
    Knowledge expected = parse_knowledge(before, "file").value();
    expected.fade_as_of(today());
    expected.merge(news);
    const auto text = with_news(before, "file", news);
    ASSERT_TRUE(text) << text.error().message;
    const auto after = parse_knowledge(*text, "file");
    ASSERT_TRUE(after) << after.error().message;
    EXPECT_EQ(to_text(*after), to_text(expected));
    const std::string again = with_news(*text, "file", news).value();
    const auto classes_in = [](const std::string& file) {
      return elements_of(member_named(file, "classes").value()).value().size();
    };
    EXPECT_EQ(classes_in(again), expected.classes.size()) << "none is there twice";
  }
}

// Classes of which nothing is new stay as they are, whatever another version has written there.
TEST(UnreadKnowledge, LeavesWhatNothingIsNewOf) {
  std::string before = to_text(knowledge_of_many(today()));
  const auto at = before.find("\"collective\": \"iallreduce\"");  // on 2 ranks, of MPICH
  before.replace(at, 26, "\"collective\": \"everybody\"");
  Knowledge news = knowledge_of_many(today());
  news.drop([](const Knowledge::Key& key) { return key.mpi == mpich; });
  const auto text = with_news(before, "file", news);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr(before.substr(before.rfind('{', at), 400)));
}

}  // namespace
}  // namespace tutti
