// Rule files of MPI libraries: what is chosen from measurements, what files say of it, and what is
// read out of them again.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>

#include "base/json.hpp"
#include "choose/libraries/elsewhere.hpp"
#include "choose/libraries/mpich.hpp"
#include "choose/libraries/open_mpi.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

Measurement measured(Collective collective, int ranks, int hosts, std::size_t size,
                     const std::string& algorithm, double ratio, double scatter = 0.01) {
  return {collective, ranks,
          hosts,      size,
          algorithm,  {ratio, ratio, ratio},
          ratio,      {ratio - scatter, ratio, ratio + scatter},
          100};
}

// What rules say of a call; "" where they say nothing.
std::string algorithm_at(const std::vector<LibraryRules>& all, Collective collective, int ranks,
                         std::size_t size) {
  for (const LibraryRules& of : all)
    if (of.collective == collective && of.ranks <= ranks && ranks <= of.ranks_max)
      for (const LibraryRule& rule : of.rules)
        if (size <= rule.size_max) return rule.algorithm.text();
  return "";
}

// Between hosts coll/han stands above coll/tuned, and is told which calls to hand over.
TEST(Libraries, WhatHanServesIsHandedOver) {
  Table table;
  table.components = {{"han", 35, {Collective::bcast}}, {"tuned", 30}};
  for (const int hosts : {1, 2})
    for (const std::size_t size : {std::size_t{64}, std::size_t{65536}}) {
      const int ranks = 4 * hosts;
      table.library.push_back(measured(Collective::bcast, ranks, hosts, size, "native", 1));
      table.library.push_back(
          measured(Collective::bcast, ranks, hosts, size, "chain", size > 64 ? 0.5 : 1.5));
      table.library.push_back(measured(Collective::alltoall, ranks, hosts, size, "native", 1));
      table.library.push_back(measured(Collective::alltoall, ranks, hosts, size, "pairwise", 0.5));
    }
  const auto rules = best_of_library(table);
  const auto of_han = served_by("han", rules, table);
  ASSERT_EQ(of_han.size(), 1u);
  EXPECT_EQ(of_han.front().ranks, 8);
  EXPECT_EQ(served_by("tuned", rules, table).size(), rules.size() - 1);
  EXPECT_EQ(
      open_mpi_han_rules(of_han),
      fmt::format("1 # collectives\nbcast\n1 # level\n2 # the whole communicator\n3 # communicator sizes\n"
                  "1 # ranks and more\n1 # message sizes\n0 han\n"
                  "8 # ranks and more\n3 # message sizes\n0 han\n{} tuned\n{} han\n"
                  "9 # ranks and more\n1 # message sizes\n0 han\n",
                  of_han.front().rules[0].size_max + 1, of_han.front().rules[1].size_max + 1));
  table.components.clear();
  EXPECT_TRUE(served_by("han", rules, table).empty());
}

RuleSet decided(Collective collective, int ranks, int hosts, const std::vector<std::string>& plans) {
  RuleSet set{collective, {ranks, hosts}, {}};
  for (std::size_t i = 0; i < plans.size(); ++i)
    set.rules.push_back(
        {1000 * i, i + 1 == plans.size() ? unlimited : 1000 * i + 999, *make_plan(collective, plans[i])});
  return set;
}

TEST(Libraries, DecisionsAreToldInTheWordsOfOthers) {
  using enum Collective;
  Table table;
  table.rule_sets = {decided(allreduce, 16, 2, {"recursive_doubling", "native", "circulant", "rabenseifner"}),
                     decided(allreduce, 16, 1, {"ring"}),  // on fewer hosts
                     decided(allgather, 8, 8, {"bruck", "ring"}), decided(barrier, 8, 8, {"dissemination"}),
                     decided(bcast, 8, 8, {"binomial", "knomial", "knomial(radix=8)"})};
  table.rule_sets.push_back(table.rule_sets.front());
  table.rule_sets.back().mode = Mode::nonblocking;
  const ToldElsewhere intel = intel_adjust(table);
  EXPECT_THAT(
      intel.variables,
      testing::ElementsAre("I_MPI_ADJUST_BARRIER=1:0-2147483647@8-8", "I_MPI_ADJUST_BCAST=1:0-999@8-8",
                           "I_MPI_ADJUST_ALLGATHER=2:0-999@8-8;3:1000-2147483647@8-8",
                           "I_MPI_ADJUST_ALLREDUCE=1:0-999@16-16;2:3000-2147483647@16-16"));
  EXPECT_THAT(intel.without, testing::ElementsAre("bcast by knomial on 8 ranks from 1000 on",
                                                  "bcast by knomial(8) on 8 ranks from 2000 on",
                                                  "allreduce by circulant on 16 ranks from 2000 on"));
  // UCC counts the blocks of all ranks together, and has one radix an operation.
  const ToldElsewhere ucc = ucc_tune(table);
  EXPECT_THAT(ucc.variables, testing::ElementsAre(
                                 "UCC_TL_UCP_TUNE=bcast:0-1000:[8-8]:@knomial"
                                 "#allgather:0-8000:[8-8]:@bruck#allgather:8000-inf:[8-8]:@ring"
                                 "#allreduce:0-1000:[16-16]:@knomial#allreduce:3000-inf:[16-16]:@sra_knomial",
                                 "UCC_TL_UCP_ALLREDUCE_KN_RADIX=2", "UCC_TL_UCP_ALLREDUCE_SRA_KN_RADIX=2",
                                 "UCC_TL_UCP_BCAST_KN_RADIX=2"));
  EXPECT_EQ(ucc.without.size(), 4u);
  // Their ranks would not agree on the size of calls of which each knows its own.
  Table own;
  const Plan linear = Plan::of(alltoallv, "linear");
  own.rule_sets = {
      RuleSet{alltoallv, {8, 8}, {{0, 4095, linear}, {4096, unlimited, Plan::native(alltoallv)}}}};
  EXPECT_TRUE(intel_adjust(own).variables.empty());
  EXPECT_THAT(
      intel_adjust(own).without,
      testing::ElementsAre("alltoallv by linear on 8 ranks from 0 on: each rank knows its own size only"));
  EXPECT_TRUE(intel_adjust({}).variables.empty());
  EXPECT_TRUE(ucc_tune({}).variables.empty());
}

// Every plan that has a counterpart is one of ours.
TEST(Libraries, WhatIsToldElsewhereServes) {
  for (const CollectiveTraits& of : collectives)
    for (const Plan& plan : known_plans(of.collective)) {
      Table table;
      table.rule_sets = {RuleSet{of.collective, {8, 8}, {{0, unlimited, plan}}}};
      for (const ToldElsewhere& told : {intel_adjust(table), ucc_tune(table)})
        EXPECT_EQ(told.variables.empty(), plan.is_native() || !told.without.empty()) << plan.text();
      if (!plan.algorithm() || plan.uses_memory()) continue;
      table.rule_sets.front().rules.front().plan = plan.through_memory();
      EXPECT_TRUE(intel_adjust(table).variables.empty() && ucc_tune(table).variables.empty()) << plan.text();
    }
}

TEST(Libraries, WhatSurelyTakesLessIsChosen) {
  Table table;
  using enum Collective;
  table.library = {
      measured(bcast, 16, 16, 1024, "native", 1),       measured(bcast, 16, 16, 1024, "binomial", 0.7),
      measured(bcast, 16, 16, 1024, "chain", 0.6, 0.5),  // nobody knows
      measured(bcast, 16, 16, 65536, "native", 1),      measured(bcast, 16, 16, 65536, "pipeline/8192", 0.4),
      measured(bcast, 16, 2, 1024, "linear", 0.1),  // on fewer hosts
      measured(allreduce, 16, 16, 8, "native", 1),      measured(allreduce, 16, 16, 8, "ring", 1.3),
      measured(barrier, 16, 16, 0, "native", 1),        measured(barrier, 16, 16, 0, "tree", 0.5)};
  const auto rules = best_of_library(table);
  EXPECT_EQ(algorithm_at(rules, bcast, 16, 1024), "binomial");
  EXPECT_EQ(algorithm_at(rules, bcast, 16, 8000), "binomial");
  EXPECT_EQ(algorithm_at(rules, bcast, 16, 9000), "pipeline/8192");
  EXPECT_EQ(algorithm_at(rules, bcast, 16, 131072), "pipeline/8192");
  EXPECT_EQ(algorithm_at(rules, bcast, 16, 200000), "");  // nobody has measured so far
  EXPECT_EQ(algorithm_at(rules, bcast, 16, 100), "");
  EXPECT_EQ(algorithm_at(rules, bcast, 15, 1024), "");
  EXPECT_EQ(algorithm_at(rules, allreduce, 16, 8), "");
  EXPECT_EQ(algorithm_at(rules, barrier, 16, 0), "tree");
}

TEST(Libraries, OurPlansForTheirAlgorithmsAreThere) {
  int found = 0;
  for (const std::string family : {"openmpi", "mpich"})
    for (const CollectiveTraits& of : collectives)
      for (const std::string name : {"linear",
                                     "basic_linear",
                                     "linear_nb",
                                     "nonoverlapping",
                                     "recursive_doubling",
                                     "ring",
                                     "rabenseifner",
                                     "bruck",
                                     "brucks",
                                     "modified_bruck",
                                     "neighbor",
                                     "pairwise",
                                     "scattered",
                                     "tree",
                                     "dissemination",
                                     "pipeline",
                                     "binary_tree",
                                     "binomial",
                                     "knomial",
                                     "scatter_allgather",
                                     "scatter_allgather_ring",
                                     "recursive_halving",
                                     "scatter_recursive_doubling_allgather",
                                     "scatter_ring_allgather",
                                     "reduce_scatter_gather",
                                     "reduce_scatter_allgather"}) {
        const auto plan = counterpart(family, of.collective, {name, 4096});
        if (!plan) continue;
        const auto made = make_plan(of.collective, plan->text());
        EXPECT_TRUE(made) << family << " " << of.name << " " << name << ": " << made.error().message;
        ++found;
      }
  EXPECT_GT(found, 60);
  EXPECT_EQ(counterpart("openmpi", Collective::bcast, {"pipeline", 4096})->text(), "chain(4096)");
  EXPECT_FALSE(counterpart("openmpi", Collective::bcast, {"split_binary_tree"}));
}

TEST(Libraries, KnowWhatTheirAlgorithmsDoNotServe) {
  EXPECT_EQ(open_mpi_refusal(Collective::barrier, "two_proc", 2), "");
  EXPECT_THAT(open_mpi_refusal(Collective::barrier, "two_proc", 3), testing::HasSubstr("two ranks"));
  EXPECT_EQ(open_mpi_refusal(Collective::allgather, "neighbor", 6), "");
  EXPECT_THAT(open_mpi_refusal(Collective::allgatherv, "neighbor", 7), testing::HasSubstr("even"));
  EXPECT_THAT(open_mpi_refusal(Collective::allgather, "recursive_doubling", 6),
              testing::HasSubstr("powers of two"));
  EXPECT_EQ(open_mpi_refusal(Collective::allreduce, "recursive_doubling", 6), "");
}

// What MPICH 4.0 would end programs by, or silently replace.
TEST(Libraries, MpichIsAskedForNothingThatItDoesNotHave) {
  using enum Collective;
  EXPECT_EQ(mpich_refusal(allgather, "recursive_doubling", 8), "");
  EXPECT_THAT(mpich_refusal(allgather, "recursive_doubling", 6), HasSubstr("is for powers of two"));
  EXPECT_THAT(mpich_refusal(reduce_scatter, "noncommutative", 4), HasSubstr("that do not commute"));
  EXPECT_THAT(mpich_refusal(alltoallv, "pairwise_sendrecv_replace", 4), HasSubstr("is for calls in place"));
  for (const CollectiveTraits& of : collectives)
    for (const std::string_view algorithm : mpich_algorithms(of.collective))
      EXPECT_EQ(mpich_refusal(of.collective, std::string(algorithm), 8), "") << of.name << " " << algorithm;
  EXPECT_THAT(mpich_algorithms(scan), testing::Contains("recursive_doubling"));
}

// Rules for some collectives on some numbers of ranks, as tuning makes them.
std::vector<LibraryRules> drawn_rules(bool mpich) {
  using enum Collective;
  const std::vector<std::pair<Collective, std::vector<std::string>>> known =
      mpich ? std::vector<std::pair<Collective, std::vector<std::string>>>{{bcast,
                                                                            {"binomial", "nb",
                                                                             "scatter_ring_allgather"}},
                                                                           {allgather, {"brucks", "ring"}},
                                                                           {alltoall,
                                                                            {"pairwise", "scattered"}},
                                                                           {allreduce,
                                                                            {"recursive_doubling",
                                                                             "reduce_scatter_allgather"}},
                                                                           {reduce_scatter_block,
                                                                            {"pairwise",
                                                                             "recursive_halving"}}}
            : std::vector<std::pair<Collective, std::vector<std::string>>>{
                  {bcast, {"binomial", "pipeline/8192", "knomial"}},
                  {allgather, {"bruck", "ring"}},
                  {alltoall, {"pairwise", "linear"}},
                  {allreduce, {"recursive_doubling", "rabenseifner"}},
                  {reduce_scatter_block, {"butterfly"}}};
  std::vector<LibraryRules> all;
  for (const auto& [collective, names] : known)
    for (int ranks = 2; ranks < 12; ++ranks) {
      if (!*rc::gen::arbitrary<bool>()) continue;
      LibraryRules set{collective, ranks, ranks, {}};
      std::size_t end = 0;
      const int count = *rc::gen::inRange(0, 4);
      for (int i = 0; i < count; ++i) {
        end += static_cast<std::size_t>(*rc::gen::inRange(1, 5000));
        const auto which = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(names.size()) + 1));
        const LibraryAlgorithm algorithm =
            which == names.size() ? LibraryAlgorithm{} : LibraryAlgorithm::of(names[which]);
        if (!set.rules.empty() && set.rules.back().algorithm == algorithm) continue;
        set.rules.push_back({end, algorithm});
      }
      if (!set.rules.empty() && set.rules.back().algorithm.name.empty()) set.rules.pop_back();
      set.rules.push_back({unlimited, {}});
      all.push_back(std::move(set));
    }
  return all;
}

void expect_same(const std::vector<LibraryRules>& written, const std::vector<LibraryRules>& read,
                 const std::function<std::string(const LibraryRules&, std::size_t)>& otherwise) {
  for (const LibraryRules& of : written)
    for (std::size_t size = 1; size < 20'000; size = size * 3 / 2 + 1) {
      const std::string wanted = algorithm_at(written, of.collective, of.ranks, size);
      RC_ASSERT(algorithm_at(read, of.collective, of.ranks, size) ==
                (wanted.empty() ? otherwise(of, size) : wanted));
    }
}

TEST(Libraries, OpenMpiReadsBackWhatWasWritten) {
  EXPECT_TRUE(rc::check([] {
    const auto rules = drawn_rules(false);
    const auto nothing = [](const LibraryRules&, std::size_t) { return std::string(); };
    for (const std::string& text : {open_mpi_rules(rules), open_mpi_json(rules)}) {
      const auto read = parse_open_mpi_rules(text, "test");
      RC_ASSERT(read.has_value());
      expect_same(rules, *read, nothing);
      // The rules say nothing of other communicators.
      RC_ASSERT(algorithm_at(*read, Collective::bcast, 12, 100).empty());
      RC_ASSERT(algorithm_at(*read, Collective::bcast, 1, 100).empty());
    }
  }));
}

// Open MPI looks up their rules by arguments that are insignificant at some ranks.
TEST(Libraries, OpenMpiIsToldNothingThatCanHang) {
  using enum Collective;
  const std::vector<LibraryRules> harmless{{bcast, 8, 8, {{unlimited, {"binomial"}}}}};
  std::vector<LibraryRules> rules = harmless;
  for (const int ranks : {16, 4})
    for (const Collective collective : {gather, scatter})
      rules.push_back({collective, ranks, ranks, {{unlimited, {"binomial"}}}});
  EXPECT_EQ(open_mpi_rules(rules), open_mpi_rules(harmless));
  EXPECT_EQ(open_mpi_json(rules), open_mpi_json(harmless));
  EXPECT_EQ(open_mpi_han_rules(rules), open_mpi_han_rules(harmless));
  EXPECT_EQ(OpenMpiRules(rules).all(), harmless);
  EXPECT_TRUE(OpenMpiRules(harmless).left_out().empty());
  EXPECT_THAT(
      OpenMpiRules(rules).left_out(),
      testing::UnorderedElementsAre(HasSubstr("gather on 4, 16 ranks, for which Open MPI's ranks may"),
                                    HasSubstr("scatter on 4, 16 ranks, for which Open MPI's ranks may")));
}

// Open MPI looks at the bytes of one element of theirs.
TEST(Libraries, ScansHaveOneRuleForAllSizesOrNone) {
  using enum Collective;
  for (const Collective collective : {scan, exscan}) {
    Table table;
    for (const std::size_t size : {8u, 65536u})
      table.library.push_back(measured(collective, 16, 16, size, "recursive_doubling", 0.5));
    const std::vector<LibraryRules> one{{collective, 16, 16, {{unlimited, {"recursive_doubling"}}}}};
    EXPECT_EQ(best_of_library(table), one);
    EXPECT_THAT(
        open_mpi_rules(best_of_library(table)),
        HasSubstr("16 # ranks\n1 # message sizes: from so many bytes on, algorithm, fan-out, segment\n"
                  "0 2 0 0 # recursive_doubling\n"));
    table.library.back() = measured(collective, 16, 16, 65536, "recursive_doubling", 1.5);
    EXPECT_TRUE(best_of_library(table).empty());
  }
}

constexpr const char* some_tree = R"({
 "collective=bcast": {"comm_type=intra": {"comm_size<8": {"algorithm=MPIR_Bcast_intra_binomial": {}},
   "comm_size=any": {"avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}},
                     "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}}}},
   "comm_type=inter": {"algorithm=MPIR_Bcast_inter_remote_send_local_bcast": {}}},
 "collective=allgather": {"comm_type=intra": {"comm_size=pow2": {"algorithm=MPIR_Allgather_intra_recursive_doubling": {}},
   "comm_size=any": {"total_msg_size<81920": {"algorithm=MPIR_Allgather_intra_brucks": {}},
                     "total_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}}},
 "collective=alltoall": {"comm_type=intra": {"is_sendbuf_inplace=yes": {"algorithm=MPIR_Alltoall_intra_pairwise_sendrecv_replace": {}},
   "is_sendbuf_inplace=no": {"algorithm=MPIR_Alltoall_intra_brucks": {}}}},
 "collective=allreduce": {"comm_type=intra": {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}},
 "collective=reduce_scatter": {"comm_type=intra": {"algorithm=MPIR_Reduce_scatter_intra_recursive_halving": {}}},
 "collective=reduce_scatter_block": {"comm_type=intra": {"is_commutative=yes": {"algorithm=MPIR_Reduce_scatter_block_intra_pairwise": {}},
   "is_commutative=no": {"algorithm=MPIR_Reduce_scatter_block_intra_noncommutative": {}}}},
 "collective=exscan": {"algorithm=MPIR_Exscan_intra_recursive_doubling": {}}})";

TEST(Libraries, MpichReadsBackWhatWasWrittenAndItsOwn) {
  EXPECT_TRUE(rc::check([] {
    const auto rules = drawn_rules(true);
    const auto text = mpich_json(rules, some_tree);
    RC_ASSERT(text.has_value());
    std::vector<int> ranks(11);
    for (int p = 2; p < 13; ++p) ranks[static_cast<std::size_t>(p - 2)] = p;
    const auto read = parse_mpich_json(*text, ranks, "test"), own = parse_mpich_json(some_tree, ranks, "own");
    RC_ASSERT(read.has_value());
    RC_ASSERT(own.has_value());
    expect_same(rules, *read, [&](const LibraryRules& of, std::size_t size) {
      return algorithm_at(*own, of.collective, of.ranks, size);
    });
    RC_ASSERT(algorithm_at(*read, Collective::bcast, 12, 20000) == "scatter_ring_allgather");
    RC_ASSERT(algorithm_at(*read, Collective::exscan, 12, 8) == "recursive_doubling");
  }));
}

TEST(Libraries, MpichGetsNothingThatItCantCarryOut) {
  using enum Collective;
  const std::vector<LibraryRules> rules{
      {allgather, 6, 6, {{unlimited, {"recursive_doubling"}}}},  // for powers of two
      {bcast, 6, 6, {{unlimited, {"smp"}}}},                     // for ranks that share hosts
      {allreduce, 6, 6, {{unlimited, {"reduce_scatter_allgather"}}}},
      {reduce_scatter, 6, 6, {{unlimited, {"pairwise"}}}},  // fails in place
      {gather, 6, 6, {{unlimited, {"nb"}}}}};
  const auto text = mpich_json(rules, some_tree);
  ASSERT_TRUE(text);
  const auto read = parse_mpich_json(*text, {6}, "test");
  ASSERT_TRUE(read);
  EXPECT_EQ(algorithm_at(*read, allgather, 6, 100), "brucks");
  EXPECT_EQ(algorithm_at(*read, bcast, 6, 100), "binomial");
  EXPECT_EQ(algorithm_at(*read, reduce_scatter, 6, 100), "recursive_halving");
  EXPECT_EQ(algorithm_at(*read, allreduce, 6, 100), "reduce_scatter_allgather");
  EXPECT_THAT(*text, HasSubstr("count<pow2"));
  EXPECT_THAT(*text, HasSubstr("is_op_built_in=no"));
  EXPECT_NE(text->size() % 4096, 0u);
  // All that was there is there.
  const auto tree = parse_json(*text), own = parse_json(some_tree);
  for (const auto& [key, value] : own.items()) EXPECT_TRUE(tree.contains(key)) << key;
  EXPECT_EQ(tree["collective=bcast"]["comm_type=inter"], own["collective=bcast"]["comm_type=inter"]);
}

// Its device hands calls on for which there are rules, and no others.
TEST(Libraries, MpichsDeviceIsToldToHandCallsOn) {
  using enum Collective;
  constexpr const char* device = R"({
 "collective=bcast": {"comm_type=intra": {
   "comm_hierarchy=parent": {"avg_msg_size<12288": {"composition=MPIDI_Bcast_intra_composition_alpha": {}},
                             "avg_msg_size=any": {"composition=MPIDI_Bcast_intra_composition_gamma": {}}},
   "comm_hierarchy=any": {"composition=MPIDI_Bcast_intra_composition_gamma": {}}}},
 "collective=allgather": {"comm_type=intra": {"composition=MPIDI_Allgather_intra_composition_alpha": {}}}})";
  const std::vector<LibraryRules> rules{{bcast, 4, 4, {{1023, {}}, {8191, {"binomial"}}, {unlimited, {}}}}};
  const auto text = mpich_device_json(rules, device);
  ASSERT_TRUE(text) << text.error().message;
  const auto tree = parse_json(*text), own = parse_json(device);
  const auto& usual = own["collective=bcast"]["comm_type=intra"];
  const auto& told = tree["collective=bcast"]["comm_type=intra"];
  EXPECT_EQ(told["comm_size<=3"], usual);
  EXPECT_EQ(told["comm_size<=4"]["avg_msg_size<=1023"], usual);
  EXPECT_TRUE(
      told["comm_size<=4"]["avg_msg_size<=8191"].contains("composition=MPIDI_Bcast_intra_composition_gamma"));
  EXPECT_EQ(told["comm_size<=4"]["avg_msg_size=any"], usual);
  EXPECT_EQ(told["comm_size=any"], usual);
  EXPECT_EQ(tree["collective=allgather"], own["collective=allgather"]);

  const std::string compact = own.dump();
  EXPECT_EQ(mpich_device_tree("ELF" + compact + '\0' + "more"), compact);
  EXPECT_FALSE(mpich_device_tree(parse_json(some_tree).dump()));
  EXPECT_FALSE(mpich_device_json(rules, R"({"collective=bcast": {"comm_type=intra": {"moon=full": {}}}})"));
}

TEST(Libraries, ItsOwnTreeIsFoundInALibrary) {
  const std::string other = R"({"collective=bcast":{"comm_type=intra":{"composition=x":{}}}})";
  std::string file = "ELF";
  file += '\0' + other + '\0';
  // The broadcast comes first there.
  const std::string compact =
      "{\"collective=bcast\":" + parse_json(some_tree)["collective=bcast"].dump() + "}";
  file += compact + '\0' + "more";
  const auto found = mpich_own_tree(file, "libmpich.so");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, compact);
  const auto missing = mpich_own_tree(other, "libother.so");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("libother.so holds no decisions of MPICH's"));
}

TEST(Libraries, WhatIsWrongInAFileIsNamed) {
  const auto error_of = [](const std::string& text) {
    const auto read = parse_open_mpi_rules(text, "rules.conf");
    return read ? "none" : read.error().message;
  };
  EXPECT_THAT(error_of("1\n7\n1\n16\n1\nx 6 0 0\n"),
              HasSubstr("rules rules.conf: line 6: 'x' is no message size"));
  EXPECT_THAT(error_of("1 # one\n7\n"),
              HasSubstr("line 2: it ends where number of communicator sizes should be"));
  EXPECT_THAT(error_of("{ \"collectives\": "), HasSubstr("is not JSON"));
  EXPECT_THAT(error_of("99999999999999999999\n"), HasSubstr("line 1"));
  const auto unknown =
      parse_mpich_json(R"({"collective=bcast": {"moon=full": {"algorithm=x": {}}}})", {4}, "tree.json");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("condition 'moon=full' is not known"));
}

TEST(Libraries, TablesHoldOurPlansForTheirs) {
  const auto rules = parse_open_mpi_rules(
      "1\n7 # bcast\n2\n1\n1\n0 0 0 0\n16\n3\n0 6 0 0\n4096 3 0 16384\n65536 4 0 0\n", "rules.conf");
  ASSERT_TRUE(rules) << rules.error().message;
  const Table table = table_of(*rules, "openmpi", {"Open MPI 4.1.4", "any"});
  const RuleSet* set = table.find(Collective::bcast, {32, 4});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->find(100)->plan.text(), "binomial");
  EXPECT_EQ(set->find(4096)->plan.text(), "chain(16384)");
  EXPECT_EQ(set->find(65536)->plan.text(), "native");  // a split binary tree: we have none
  EXPECT_EQ(table.find(Collective::bcast, {8, 1})->find(100)->plan.text(), "native");
  const auto again = parse_table(to_text(table), "test");
  EXPECT_TRUE(again) << again.error().message;
}

}  // namespace
}  // namespace tutti
