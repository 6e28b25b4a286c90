// What was learned, as it is kept: written, read, merged, made to fade, and by many at once.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "choose/evidence/knowledge_store.hpp"
#include "choose/evidence/knowledge_table.hpp"
#include "choose/planner/online_candidates.hpp"
#include "core/schedule/topology.hpp"
#include "some_knowledge.hpp"

namespace tutti {
namespace {

TEST(Knowledge, ReadsBackWhatItWrites) {
  const std::string text = to_text(some_knowledge());
  const auto known = parse_knowledge(text, "k.json");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(to_text(*known), text);
  EXPECT_EQ(known->classes, some_knowledge().classes);
  EXPECT_EQ(date_text(0), "1970-01-01");
  Knowledge with_slow_calls = some_knowledge();
  with_slow_calls.classes.begin()->second["native"].alone = 0.25;
  EXPECT_EQ(parse_knowledge(to_text(with_slow_calls), "k.json")->classes, with_slow_calls.classes);
  Knowledge with_untried_calls = some_knowledge();
  with_untried_calls.classes.begin()->second["native"].untried_s = 0.5;
  EXPECT_EQ(parse_knowledge(to_text(with_untried_calls), "k.json")->classes, with_untried_calls.classes);
  Knowledge with_pairs = some_knowledge();
  with_pairs.classes.begin()->second["binomial"].against_others["linear"] = evidence(0.5, 9).against_native;
  EXPECT_EQ(parse_knowledge(to_text(with_pairs), "k.json")->classes, with_pairs.classes);
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
  EXPECT_THAT(error("2024-10-04", "2024-13-04"), HasSubstr("is no date"));
  EXPECT_THAT(error("\"ranks\": 4", "\"ranks\": 0"), HasSubstr("0 ranks"));
  EXPECT_THAT(error("\"networks\"", "\"as_of\": \"yesterday\", \"networks\""), HasSubstr("is no date"));
  EXPECT_THAT(error("\"any\"", "\"none\""), HasSubstr("no order of operands"));
  EXPECT_THAT(error("\"first\"", "\"alone_s\": -1, \"first\""),
              HasSubstr("alone_s: -1 is no number from 0 to"));
  EXPECT_THAT(error("\"first\"", "\"alone_s\": 1e200, \"first\""), HasSubstr("alone_s: 1e+200 is no number"));
}

// An older Tutti that shares a file with a newer one, or a newer one that has lost a plan, begins
// not anew and takes nothing from the other.
TEST(Knowledge, KeepsWhatOtherVersionsKnow) {
  std::string text = to_text(some_knowledge());
  text.replace(text.find("\"binomial\""), 10, "\"of_tomorrow(3)\"");
  const Knowledge known = parse_knowledge(text, "k.json").value();
  EXPECT_EQ(known.classes.begin()->second.size(), 2u);
  EXPECT_FALSE(known.classes.begin()->second.contains("of_tomorrow(3)"));
  EXPECT_EQ(to_text(known).size(), text.size());
  EXPECT_EQ(table_of(known, {"Open MPI 4.1.4", "a processor, 2 cores"})
                .find(Collective::bcast, {4, 1})
                ->find(5000)
                ->plan.text(),
            "native");
  Knowledge both = known;
  both.merge(known);
  both.fade(20060);
  const Knowledge again = parse_knowledge(to_text(both), "k.json").value();
  const Evidence& kept = again.of_other_versions.begin()->second.at("of_tomorrow(3)");
  EXPECT_EQ(kept.calls, 60);
  EXPECT_NEAR(kept.against_native.weight, 30, 1e-9);
}

TEST(Knowledge, FadesAndMerges) {
  Knowledge known = some_knowledge();
  const double before = known.classes.begin()->second.at("binomial").against_native.weight;
  known.fade(20000 + 60);
  EXPECT_NEAR(known.classes.begin()->second.at("binomial").against_native.weight, before / 2, 1e-9);
  Knowledge both = some_knowledge();
  both.merge(some_knowledge());
  EXPECT_EQ(both.classes.begin()->second.at("binomial").calls, 60);
  Evidence& binomial = both.classes.begin()->second["binomial"];
  binomial.against_others["linear"] = evidence(0.5, 9).against_native;
  both.merge(Knowledge(both));
  EXPECT_EQ(binomial.against_others["linear"].count, 18);
  both.fade(20000 + 60);
  EXPECT_NEAR(binomial.against_others["linear"].count, 9, 1e-9);
  both.fade(20000 + 420);
  EXPECT_TRUE(binomial.against_others.empty());
  Evidence& native = both.classes.begin()->second["native"];
  native.merge({.untried_s = 3, .last = 20000 + 420});
  native.merge({.untried_s = -1, .last = 20000 + 420});
  EXPECT_EQ(native.untried_s, 2);
  both.fade(20000 + 480);
  EXPECT_NEAR(native.untried_s, 1, 1e-9);
  Knowledge none{.machine = "", .classes = {}, .networks = {}};
  none.merge(some_knowledge());
  EXPECT_EQ(none.classes, some_knowledge().classes);
}

// Evidence of which nothing is left goes, and its class with the last: files do not grow for ever.
TEST(Knowledge, IsForgottenInTheEnd) {
  Knowledge known = some_knowledge();
  const Knowledge::Key key = known.classes.begin()->first;
  known.classes[key]["chain"] = evidence(0.9, 2);
  known.of_other_versions[key]["of_tomorrow"] = evidence(0.9, 2);
  known.fade(20000 + 250);
  EXPECT_EQ(known.classes.at(key).size(), 3u);
  EXPECT_FALSE(known.classes.at(key).contains("chain"));
  EXPECT_TRUE(known.of_other_versions.empty());
  known.fade(20000 + 1200);
  EXPECT_TRUE(known.classes.empty());
}

// A host whose clock is ahead makes nothing of others' news old.
TEST(Knowledge, EndsToday) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "knowledge-of-tomorrow";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const KnowledgeStore store(folder);
  Knowledge ahead = some_knowledge(), news = some_knowledge();
  for (Knowledge* one : {&ahead, &news})
    for (auto& [plan, seen] : one->classes.begin()->second)
      seen.first = seen.last = one == &ahead ? today() + 3000 : today();
  ahead.as_of = today() + 3000;
  ASSERT_TRUE(write_file(store.file_of(ahead.machine), to_text(ahead)));
  ASSERT_TRUE(store.add(news));
  const auto known = parse_knowledge(read_file(store.file_of(ahead.machine)).value(), "k.json");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_LE(known->as_of, today());
  const Evidence& both = known->classes.begin()->second.at("binomial");
  EXPECT_LE(both.first, today());
  EXPECT_LE(both.last, today());
  EXPECT_NEAR(both.seconds.count, 60, 1e-9);
  std::filesystem::remove_all(folder);
}

// Evidence fades once, however often a file is written meanwhile.
TEST(Knowledge, FadesOnce) {
  Knowledge often = some_knowledge(), once = some_knowledge();
  for (const Day day : {20010, 20010, 20030, 20029, 20060}) {
    often.fade(day);
    often = parse_knowledge(to_text(often), "k.json").value();
  }
  once.fade(20060);
  const auto weight = [](const Knowledge& known) {
    return known.classes.begin()->second.at("binomial").against_native.weight;
  };
  EXPECT_NEAR(weight(often), weight(once), 1e-9);
  // Two files that are merged both count as of the later day.
  for (const bool older_first : {true, false}) {
    Knowledge both = older_first ? some_knowledge() : once;
    both.merge(older_first ? once : some_knowledge());
    EXPECT_EQ(both.as_of, 20060);
    EXPECT_NEAR(weight(both), 2 * weight(once), 1e-9);
  }
}

// What native was seen to take of late stays for a while.
TEST(Knowledge, OfSlowCallsIsOfLate) {
  Evidence seen{.calls = 2, .alone = 0.4, .first = 20000, .last = 20000};
  seen.merge({.calls = 5, .first = 20001, .last = 20001});
  EXPECT_EQ(seen.alone, 0.4);
  seen.merge({.calls = 2, .alone = 0.3, .first = 20002, .last = 20002});
  EXPECT_EQ(seen.alone, 0.3);
  seen.merge({.calls = 2, .alone = 0.5, .first = 19000, .last = 19000});
  EXPECT_EQ(seen.alone, 0.3);
  seen.merge({.calls = 2, .alone = 0.25, .first = 20002, .last = 20002});
  EXPECT_EQ(seen.alone, 0.25) << "of one day what was seen last counts";
  seen.merge({.calls = 0, .alone = 0.1, .first = 1, .last = 30000});
  EXPECT_EQ(seen.alone, 0.25) << "of no calls nothing is known";
  EXPECT_EQ(seen.calls, 13);
  EXPECT_EQ(seen.first, 19000);
  EXPECT_EQ(seen.last, 20002);
  Knowledge known = some_knowledge();
  known.classes.begin()->second["native"] = seen;
  known.fade(20030);
  EXPECT_EQ(known.classes.begin()->second["native"].alone, 0.25);
  known.fade(20100);
  EXPECT_EQ(known.classes.begin()->second["native"].alone, 0);
}

// What was learnt over one transport says nothing of another; what does not say where counts.
TEST(Knowledge, IsOfItsTransport) {
  Knowledge known = some_knowledge();
  const auto [key, plans] = *known.classes.begin();
  Knowledge::Key between = key, within = key;
  within.transport = "ob1 (vader)";
  between.calls.placement.hosts = 2;
  between.transport = "ob1 (tcp), Ethernet";
  known.classes[within] = {{"binomial", evidence(0.7, 30)}};
  known.classes[between] = {{"native", evidence(1, 40)}};
  const Fingerprint here{key.mpi, known.machine, "ob1 (vader)", "ucx, InfiniBand"};
  const Knowledge seen = known.seen_from(here);
  ASSERT_EQ(seen.classes.size(), 1u);
  EXPECT_EQ(seen.classes.at(key).at("binomial").calls, 60);
  Fingerprint over_tcp = here;
  over_tcp.transport = "ob1 (tcp)";
  EXPECT_EQ(known.seen_from(over_tcp).classes.at(key).at("binomial").calls, 30);
  EXPECT_EQ(known.seen_from({"MPICH 4.0.2", known.machine}).classes.size(), 0u);
  const Knowledge again = parse_knowledge(to_text(known), "k.json").value();
  EXPECT_EQ(again.classes.size(), 3u);
  EXPECT_TRUE(again.classes.contains(between));
  const auto places = known.places();
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places.front(), (Fingerprint{key.mpi, known.machine, within.transport, between.transport}));
}

// Calls between neighbours are known again where ranks have the same neighbours, and nowhere else;
// tables, which do not tell these apart, have none of it.
TEST(Knowledge, IsOfItsNeighbors) {
  Knowledge known = some_knowledge();
  const std::string mpi = known.classes.begin()->first.mpi;
  const auto calls_of = [](const Topology& topology) {
    return CallClass{
        Collective::neighbor_alltoall, {8, 1}, SizeClass::of(5000), OperandOrders::any, topology.shape};
  };
  const Topology round = grid_topology({4, 2}, {true, true}), open = grid_topology({4, 2}, {false, false});
  const Topology graph{.of = round.of};
  for (const Topology* topology : {&round, &graph})
    known.classes[{mpi, calls_of(*topology)}] = {{"native", evidence(1, 40)}, {"direct", evidence(0.7, 40)}};
  known = parse_knowledge(to_text(known), "k.json").value();
  EXPECT_EQ(known.classes.size(), 3u);
  EXPECT_TRUE(knows_a_gain(known, mpi, calls_of(round)));
  EXPECT_FALSE(knows_a_gain(known, mpi, calls_of(open)));
  EXPECT_FALSE(knows_a_gain(known, mpi, calls_of(graph)));
  const Hosts one_host(8, 0);
  const auto because = [&](const Topology& topology) {
    return online_candidates(known, mpi, calls_of(topology),
                             {.ranks = 8, .hosts = &one_host, .topology = &topology})
        .because;
  };
  EXPECT_EQ(because(round), "known");
  EXPECT_EQ(because(open), "by price");
  EXPECT_EQ(because(graph), "by price");
  const Table table = table_of(known, {mpi, known.machine});
  ASSERT_EQ(table.rule_sets.size(), 1u);
  EXPECT_EQ(table.rule_sets.front().collective, Collective::bcast);
}

// The network that was probed between hosts goes before one of a host, where both are known.
TEST(Knowledge, HasTheNetworkOfItsFabric) {
  Knowledge known = some_knowledge();
  known.networks.clear();
  const Fingerprint here{"Open MPI 4.1.4", known.machine, "ob1 (vader)", "ob1 (tcp), Ethernet"};
  Network within = Network::uniform({1e-6, 1e-9}), between = Network::uniform({1e-5, 1e-8});
  within.hosts = {0, 0};
  between.hosts = {0, 0, 1};
  known.networks[{here.mpi, here.transport}] = within;
  EXPECT_EQ(count(known.seen_from(here).networks.at({here.mpi}).hosts), 1);
  known.networks[{here.mpi, here.fabric}] = between;
  EXPECT_EQ(count(known.seen_from(here).networks.at({here.mpi}).hosts), 2);
  Fingerprint elsewhere = here;
  elsewhere.fabric = "ucx, InfiniBand";
  EXPECT_EQ(count(known.seen_from(elsewhere).networks.at({here.mpi}).hosts), 1);
}

// What is known of persistent calls natively alone keeps no other rules from them.
TEST(Knowledge, BecomesNoRuleOfPersistentCallsWithoutPlans) {
  Knowledge known = some_knowledge();
  const std::string mpi = "Open MPI 4.1.4";
  const CallClass calls{.collective = Collective::bcast,
                        .placement = {4, 1},
                        .size = SizeClass::of(5000),
                        .mode = Mode::persistent};
  auto& plans = known.classes[{mpi, calls}];
  plans["native"] = {.calls = 500, .alone = 1e-3};
  EXPECT_FALSE(table_of(known, {mpi, known.machine}).find(calls.called(), {4, 1}));
  plans["binomial"] = evidence(0.7, 30);
  EXPECT_TRUE(table_of(known, {mpi, known.machine}).find(calls.called(), {4, 1}));
}

TEST(Knowledge, BecomesATableAndIsMadeOfOne) {
  const Table table = table_of(some_knowledge(), {"Open MPI 4.1.4", "a processor, 2 cores"});
  EXPECT_EQ(table.find(Collective::bcast, {4, 1})->find(5000)->plan.text(), "binomial");
  EXPECT_EQ(table.find(Collective::bcast, {4, 1})->find(100), nullptr);
  EXPECT_EQ(table.measurements.size(), 3u);
  const Knowledge again = knowledge_of(table, 20001);
  EXPECT_EQ(again.machine, "a processor, 2 cores");
  const auto& plans = again.classes.begin()->second;
  EXPECT_LT(plans.at("binomial").ratio_to_native().high, 1);
  EXPECT_GT(plans.at("linear").ratio_to_native().low, 1);
  // What is doubtful, or of groups beside each other, is no evidence.
  Table doubtful = table;
  for (Measurement& m : doubtful.measurements)
    if (m.plan == "binomial")
      m.unstable = true;
    else if (m.plan == "linear")
      m.situation = Situation{};
  const auto left = knowledge_of(doubtful, 20001).classes.begin()->second;
  EXPECT_EQ(left.size(), 1u);
  EXPECT_TRUE(left.contains("native"));
}

// Where ranks know only their own sizes programs learn by classes, and a table has their rules.
TEST(Knowledge, OfOwnSizesBecomesRulesBySize) {
  Knowledge known = some_knowledge();
  const auto calls = [](std::size_t size) {
    return Knowledge::Key{"Open MPI 4.1.4", {Collective::alltoallv, {4, 1}, SizeClass::of(size)}};
  };
  known.classes = {{calls(100), {{"native", evidence(1, 40)}, {"linear", evidence(0.6, 40)}}},
                   {calls(9000), {{"native", evidence(1, 30)}, {"pairwise", evidence(0.7, 30)}}}};
  const Fingerprint place{.mpi = "Open MPI 4.1.4", .machine = known.machine};
  Table table = table_of(known, place);
  ASSERT_EQ(table.rule_sets.size(), 1u);
  ASSERT_EQ(table.rule_sets[0].rules.size(), 2u);
  EXPECT_EQ(table.rule_sets[0].find(100)->plan.text(), "linear");
  EXPECT_EQ(table.rule_sets[0].find(9000)->plan.text(), "pairwise");
  EXPECT_FALSE(table.rule_sets[0].find(1000));
  EXPECT_TRUE(parse_table(to_text(table), "test"));
  EXPECT_EQ(parse_knowledge(to_text(known), "test").value().classes, known.classes);
  // Its measurements are known of the same sizes.
  Table measured = table;
  for (Measurement& m : measured.measurements) m.repetitions = 40;
  for (const auto& [key, plans] : knowledge_of(measured, 20001).classes)
    EXPECT_TRUE(known.classes.contains(key)) << key.calls.size.number;
  // What older files have of any size holds for others.
  known.classes[calls(0)] = {{"native", evidence(1, 40)}, {"bruck", evidence(0.5, 40)}};
  table = table_of(known, place);
  EXPECT_EQ(table.rule_sets[0].find(100)->plan.text(), "linear");
  EXPECT_EQ(table.rule_sets[0].find(1000)->plan.text(), "bruck");
  known.classes = {{calls(0), known.classes[calls(0)]}};
  EXPECT_FALSE(table_of(known, place).rule_sets[0].goes_by_size());
}

// Many that write at once lose nothing of each other's.
TEST(Knowledge, IsKeptByManyAtOnce) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "knowledge-of-many";
  std::filesystem::remove_all(folder);
  const KnowledgeStore store(folder);
  Knowledge news = some_knowledge();
  for (auto& [plan, seen] : news.classes.begin()->second) seen.first = seen.last = today();
  std::vector<std::thread> writers;
  for (int w = 0; w < 8; ++w)
    writers.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const auto added = store.add(news);
        EXPECT_TRUE(added) << added.error().message;
      }
    });
  for (auto& writer : writers) writer.join();
  const auto known = parse_knowledge(read_file(store.file_of("a processor, 2 cores")).value(), "k.json");
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->classes.begin()->second.at("binomial").calls, 40 * 30);
  EXPECT_EQ(known->as_of, today());
  const auto read = store.load("a processor, 2 cores");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->classes, known->classes);
  // What can't be read stays.
  ASSERT_TRUE(write_file(store.file_of("a processor, 2 cores"), "{ cut"));
  EXPECT_FALSE(store.add(some_knowledge()));
  EXPECT_EQ(read_file(store.file_of("a processor, 2 cores")).value(), "{ cut");
  EXPECT_FALSE(KnowledgeStore("/proc/nowhere").add(some_knowledge()));
  std::filesystem::remove_all(folder);
}

// What could not be read again is never written, and what is there stays.
TEST(Knowledge, IsNeverWrittenUnreadable) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "knowledge-of-infinities";
  std::filesystem::remove_all(folder);
  const KnowledgeStore store(folder);
  Knowledge news = some_knowledge();
  ASSERT_TRUE(store.add(news));
  const std::string before = read_file(store.file_of(news.machine)).value();
  for (auto& [plan, seen] : news.classes.begin()->second) seen.first = seen.last = today();
  news.classes.begin()->second["native"].seconds.squares = std::numeric_limits<double>::infinity();
  const auto added = store.add(news);
  ASSERT_FALSE(added);
  EXPECT_THAT(added.error().message, testing::HasSubstr("it is not added"));
  EXPECT_EQ(read_file(store.file_of(news.machine)).value(), before);
  std::filesystem::remove_all(folder);
}

// A host that has just started may not know the day yet, and makes nothing old of what others have
// written.
TEST(Knowledge, OutlivesAClockThatIsNotSet) {
  Knowledge known = some_knowledge();
  known.as_of = 20010;
  const Knowledge before = known;
  for (const Day day : {0, 3, 10957}) known.fade_as_of(day);
  EXPECT_EQ(known.as_of, before.as_of);
  EXPECT_EQ(known.classes, before.classes);
  known.fade_as_of(20100);
  EXPECT_EQ(known.as_of, 20100);
  EXPECT_NE(known.classes, before.classes);
}

// A program that runs waits for nobody who holds the file.
TEST(Knowledge, IsAddedAtOnceOrNot) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "knowledge-at-once";
  std::filesystem::remove_all(folder);
  const KnowledgeStore store(folder);
  const Knowledge news = some_knowledge();
  ASSERT_TRUE(store.add_at_once(news).value());
  const auto lock = store.file_of(news.machine).replace_extension(".lock");
  const int other = open(lock.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(other, 0);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  const auto begin = std::chrono::steady_clock::now();
  const auto added = store.add_at_once(news);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_FALSE(*added);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  close(other);
  EXPECT_TRUE(store.add_at_once(news).value());
  std::filesystem::remove_all(folder);
}

// A program that begins asks whether others make nonblocking calls, with its MPI and on so many
// ranks that it may make them, too.
TEST(Knowledge, TellsOfNonblockingCalls) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "knowledge-of-nonblocking";
  std::filesystem::remove_all(folder);
  const KnowledgeStore store(folder);
  const std::string machine = "a processor, 2 cores";
  EXPECT_EQ(store.known_nonblocking(machine, "Open MPI 4.1.4", 1000), KnownNonblocking::none);
  Knowledge blocking = some_knowledge();
  ASSERT_TRUE(store.add(blocking));
  EXPECT_EQ(store.known_nonblocking(machine, "Open MPI 4.1.4", 1000), KnownNonblocking::none);
  for_each_called([&](Called called) {
    if (called.mode != Mode::nonblocking) return;
    std::filesystem::remove_all(folder);
    const KnownNonblocking kind =
        traits(called.collective).on_neighbors ? KnownNonblocking::between_neighbors : KnownNonblocking::some;
    Knowledge seen{.machine = blocking.machine, .classes = {}, .networks = {}};
    for (const auto& [mpi, ranks] :
         std::vector<std::pair<std::string, int>>{{"an MPI", 4}, {"an MPI", 8}, {"another", 2}})
      seen.classes[{
          mpi,
          CallClass{.collective = called.collective, .placement = {ranks, 1}, .size = {}, .mode = called.mode}
              .as_shared(),
          ranks == 4 ? "" : "a transport"}]["native"] = {.calls = 20, .first = today(), .last = today()};
    ASSERT_TRUE(store.add(seen));
    for (const auto& [mpi, least] : std::map<std::string, int>{{"an MPI", 4}, {"another", 2}}) {
      EXPECT_EQ(store.known_nonblocking(machine, mpi, least), kind) << called.name();
      EXPECT_EQ(store.known_nonblocking(machine, mpi, least - 1), KnownNonblocking::none) << called.name();
    }
    EXPECT_EQ(store.known_nonblocking(machine, "an", 1000), KnownNonblocking::none) << called.name();
  });
  std::filesystem::remove_all(folder);
}

// Files are as open as their folder, whatever its users' masks.
TEST(Knowledge, IsSharedByUsers) {
  namespace fs = std::filesystem;
  const auto folder = fs::path(testing::TempDir()) / "knowledge-of-users";
  const KnowledgeStore store(folder);
  const mode_t mask = umask(077);
  for (const auto open_to : {fs::perms(0755), fs::perms(0775), fs::perms(0777)}) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    fs::permissions(folder, open_to);
    ASSERT_TRUE(store.add(some_knowledge()));
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_EQ(entry.status().permissions(), open_to & fs::perms(0666)) << entry.path();
      ++files;
    }
    EXPECT_EQ(files, 2);  // and a lock
  }
  if (geteuid() == 0) {
    // A lock that another user's mask left unwritable is taken all the same.
    fs::permissions(store.file_of("a processor, 2 cores").replace_extension(".lock"), fs::perms(0644));
    ASSERT_EQ(seteuid(65534), 0);
    const auto added = store.add(some_knowledge());
    ASSERT_EQ(seteuid(0), 0);
    EXPECT_TRUE(added) << added.error().message;
  }
  umask(mask);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tutti
