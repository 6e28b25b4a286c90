#include "core/plan/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/size.hpp"
#include "base/suggest.hpp"
#include "core/plan/syntax.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

std::string error(Collective collective, std::string_view text) {
  const auto plan = make_plan(collective, text);
  return plan ? "none: " + plan->text() : plan.error().message;
}

std::string text(Collective collective, std::string_view written) {
  return make_plan(collective, written).value().text();
}

TEST(Plan, IsPrintedInItsShortestForm) {
  EXPECT_EQ(text(Collective::bcast, " native "), "native");
  EXPECT_EQ(text(Collective::bcast, "binomial"), "binomial");
  EXPECT_EQ(text(Collective::bcast, "scatter_allgather"), "scatter_allgather");
  EXPECT_EQ(text(Collective::bcast, "scatter_allgather( ring )"), "scatter_allgather");
  EXPECT_EQ(text(Collective::bcast, "scatter_allgather(allgather = recursive_doubling)"),
            "scatter_allgather(recursive_doubling)");
}

TEST(Plan, NamesTheNearestKnownName) {
  EXPECT_EQ(error(Collective::bcast, "binomal"),
            "plan 'binomal', column 1: bcast has no plan 'binomal' (did you mean 'binomial'?)");
  EXPECT_THAT(error(Collective::bcast, "scatter_allgather(rong)"),
              HasSubstr("column 19: allgather can't be 'rong' (did you mean 'ring'?)"));
  EXPECT_THAT(
      error(Collective::bcast, "scatter_allgather(allgahter=ring)"),
      HasSubstr("column 19: scatter_allgather has no parameter 'allgahter' (did you mean 'allgather'?)"));
  EXPECT_THAT(error(Collective::allreduce, "zzzzzzzzz"), HasSubstr("(known: native, "));
}

TEST(Plan, RefusesWhatMakesNoSense) {
  EXPECT_THAT(error(Collective::bcast, "binomial(2)"),
              HasSubstr("column 10: binomial has no parameters; remove '2'"));
  EXPECT_THAT(error(Collective::bcast, "scatter_allgather(ring,ring)"), HasSubstr("only 1"));
  EXPECT_THAT(error(Collective::bcast, "native(binomial,2)"), HasSubstr("native takes one name"));
  EXPECT_THAT(error(Collective::bcast, "native(algorithm=binomial)"), HasSubstr("native takes one name"));
  EXPECT_THAT(error(Collective::gatherv, "native(linear)"), HasSubstr("known to their ranks alone"));
  EXPECT_THAT(error(Collective::bcast, "native[ring]"), HasSubstr("native has no phases"));
  EXPECT_THAT(error(Collective::bcast, "memory(native(binomial))"), HasSubstr("the MPI library's own"));
  EXPECT_THAT(error(Collective::bcast, "binomial[ring]"), HasSubstr("binomial has no phases"));
  EXPECT_THAT(error(Collective::allgather, "binomial"), HasSubstr("allgather has no plan 'binomial'"));
}

TEST(Plan, NamesAlgorithmsOfTheLibrary) {
  EXPECT_EQ(text(Collective::bcast, "native( pipeline/8192 )"), "native(pipeline/8192)");
  EXPECT_EQ(text(Collective::reduce, "native(in-order_binary)"), "native(in-order_binary)");
  const Plan named = make_plan(Collective::allreduce, "native(ring)").value();
  EXPECT_EQ(named, Plan::native(Collective::allreduce, "ring"));
  EXPECT_NE(named, Plan::native(Collective::allreduce));
  EXPECT_EQ(named.library_algorithm(), "ring");
  EXPECT_TRUE(named.is_left_to_library());
  EXPECT_FALSE(named.is_native());
  EXPECT_TRUE(named.has_native_phases());
  EXPECT_TRUE(Plan::native(Collective::allreduce).library_algorithm().empty());
}

// Nobody knows in which order a library's algorithm combines what.
TEST(Plan, LeavesTheOrderOfOperandsOpenWhereTheLibraryHasAName) {
  const Plan named = Plan::native(Collective::allreduce, "ring");
  EXPECT_FALSE(named.refusal({.ranks = 4}));
  EXPECT_THAT(named.refusal({.ranks = 4, .commutative = false}).value(), HasSubstr("does not commute"));
  EXPECT_THAT(named.refusal({.ranks = 4, .fixed_order = true}).value(), HasSubstr("fixed order"));
  EXPECT_FALSE(Plan::native(Collective::bcast, "binomial").refusal({.ranks = 4, .commutative = false}));
  EXPECT_THAT(Plan::native(Collective::neighbor_alltoall, "nb").refusal({.ranks = 4}).value(),
              HasSubstr("neighbours"));
}

// All messages of a part, and those through memory.
std::pair<int, int> messages(const Plan& plan, const Setting& setting) {
  std::pair<int, int> count{0, 0};
  for (const Part& part : generate(plan, shape_of(plan, setting, 0, 64)).parts)
    for (const Operation& op : part.operations())
      if (op.kind == OperationKind::send || op.kind == OperationKind::recv) {
        ++count.first;
        count.second += op.memory;
      }
  return count;
}

TEST(Plan, LetsMessagesGoThroughMemory) {
  EXPECT_EQ(text(Collective::bcast, "memory( scatter_allgather( ring ) )"), "memory(scatter_allgather)");
  EXPECT_EQ(text(Collective::bcast, "grid(2x4)[linear,memory(chain(segment=1024))]"),
            "grid(2x4)[linear,memory(chain(segment=1024))]");
  const Setting eight{.ranks = 8};
  const auto of = [&](std::string_view text) {
    return messages(make_plan(Collective::bcast, text).value(), eight);
  };
  EXPECT_EQ(of("binomial"), std::pair(14, 0));
  EXPECT_EQ(of("memory(binomial)"), std::pair(14, 14));
  EXPECT_EQ(of("memory(grid(2x4)[linear])"), std::pair(14, 14));
  EXPECT_EQ(of("grid(2x4)[linear,memory(linear)]"), std::pair(14, 12));  // of two rows of four
  EXPECT_NE(make_plan(Collective::bcast, "memory(binomial)")->id(),
            make_plan(Collective::bcast, "binomial")->id());
}

TEST(Plan, RefusesMemoryWhereItMakesNoSense) {
  EXPECT_THAT(error(Collective::bcast, "memory"),
              HasSubstr("memory goes around a plan, such as memory(linear)"));
  EXPECT_THAT(error(Collective::bcast, "memory()"), HasSubstr("column 8: ')' where"));
  EXPECT_THAT(error(Collective::bcast, "memory(native)"),
              HasSubstr("the messages of native are the MPI library's"));
  EXPECT_THAT(error(Collective::bcast, "memory(memory(ring))"), HasSubstr("bcast has no plan 'ring'"));
  EXPECT_THAT(error(Collective::bcast, "memory(memory(linear))"), HasSubstr("go through memory already"));
  EXPECT_THAT(error(Collective::bcast, "memory(linear,linear)"), HasSubstr("',' where ')' should be"));
  EXPECT_THAT(error(Collective::bcast, "grid(2x2)[memory(lanes(node)),linear]"), HasSubstr("column 18"));
  const auto plan = make_plan(Collective::bcast, "memory(linear)").value();
  EXPECT_EQ(plan.refusal({.ranks = 4}), std::nullopt);
  EXPECT_THAT(plan.refusal({.ranks = 4, .has_memory = false}).value(),
              HasSubstr("simulated hosts share none"));
}

TEST(Plan, InMemoryIsForOneHost) {
  const Plan plan = make_plan(Collective::allreduce, "memory_reduce").value();
  const Hosts together{0, 0, 0}, apart{0, 0, 1};
  EXPECT_TRUE(plan.uses_memory());
  EXPECT_EQ(plan.refusal({.ranks = 3, .hosts = &together}), std::nullopt);
  EXPECT_THAT(plan.refusal({.ranks = 3, .hosts = &apart}).value(), HasSubstr("is for ranks of one host"));
  EXPECT_THAT(plan.refusal({.ranks = 3, .has_memory = false}).value(), HasSubstr("share none"));
  EXPECT_THAT(error(Collective::allreduce, "memory(memory_reduce)"), HasSubstr("go through memory already"));
}

TEST(Plan, ThroughMemoryIsKnownWhereRanksShareHosts) {
  const Hosts together{0, 0, 1, 1}, apart{0, 1, 2, 3}, unknown;
  const auto through_memory = [](const Setting& setting) {
    long count = 0;
    for (const Plan& plan : known_plans(Collective::allreduce, setting)) count += plan.uses_memory();
    return count;
  };
  EXPECT_GT(through_memory({.ranks = 4, .hosts = &together}), 10);
  EXPECT_EQ(through_memory({.ranks = 4, .hosts = &together, .has_memory = false}), 0);
  EXPECT_EQ(through_memory({.ranks = 4, .hosts = &apart}), 0);
  EXPECT_EQ(through_memory({.ranks = 4, .hosts = &unknown}), 0);
}

TEST(Plan, SaysWhereTheTextIsBroken) {
  EXPECT_THAT(error(Collective::bcast, ""), HasSubstr("column 1: a plan is missing"));
  EXPECT_THAT(error(Collective::bcast, "binomial("),
              HasSubstr("column 10: the text ends where a value should be"));
  EXPECT_THAT(error(Collective::bcast, "binomial(1"),
              HasSubstr("column 11: the text ends where ',' or ')' should be"));
  EXPECT_THAT(error(Collective::bcast, "binomial)"), HasSubstr("column 9: ')' follows a complete plan"));
  EXPECT_THAT(error(Collective::bcast, "scatter_allgather(allgather=)"),
              HasSubstr("column 29: ')' where a value should be"));
}

TEST(Plan, CompositionsKeepTheirText) {
  EXPECT_EQ(text(Collective::bcast, " grid( 8x12 ) [ native , binomial ]"), "grid(8x12)[native,binomial]");
  EXPECT_EQ(text(Collective::bcast, "grid(node)[binomial,grid(2x4)[linear]]"),
            "grid(node)[binomial,grid(2x4)[linear]]");
  EXPECT_EQ(text(Collective::allreduce, "grid(8x12,mapping=cyclic)[ring]"),
            "grid(8x12,mapping=cyclic)[ring]");
  EXPECT_EQ(text(Collective::allreduce, "grid(8x12,mapping=row_major)[native]"), "grid(8x12)");
  EXPECT_EQ(text(Collective::bcast, "lanes(node,phases=apart)"), "lanes(node,phases=apart)");
  EXPECT_EQ(text(Collective::allgather, "grid(2x4x12)[ring,bruck,linear]"),
            "grid(2x4x12)[ring,bruck,linear]");
  EXPECT_EQ(text(Collective::bcast, "lanes(balanced)[binomial,circulant,ring]"),
            "lanes(balanced)[binomial,circulant,ring]");
  EXPECT_EQ(text(Collective::bcast, "via(scatter,allgather)[binomial,ring]"),
            "via(scatter,allgather)[binomial,ring]");
}

TEST(Plan, CompositionsSayWhatIsWrong) {
  EXPECT_THAT(error(Collective::bcast, "grid"), HasSubstr("needs its extents, such as grid(8x12)"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x)"), HasSubstr("column 6: '8x' is no grid"));
  EXPECT_THAT(error(Collective::bcast, "grid(96)"), HasSubstr("'96' is no grid"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x12,mapping=cyclc)"), HasSubstr("did you mean 'cyclic'"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x12,order=cyclic)"), HasSubstr("no parameter 'order'"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x12,phases=both)"), HasSubstr("phases can't be 'both'"));
  EXPECT_THAT(error(Collective::bcast, "grid(node,mapping=cyclic)"), HasSubstr("need no mapping"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x12)[native,"), HasSubstr("column 19"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x12)[native,ring]"), HasSubstr("column 19: bcast has no plan"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x12)[native,binomial,linear]"),
              HasSubstr("3 plans for 2 dimensions"));
  EXPECT_THAT(error(Collective::bcast, "grid(8x12)[grid(node)]"), HasSubstr("whole communicator only"));
  EXPECT_THAT(error(Collective::exscan, "grid(8x12)"), HasSubstr("no realization on a grid"));
  EXPECT_THAT(error(Collective::scan, "grid(2x4x12)"), HasSubstr("two dimensions only"));
  EXPECT_THAT(error(Collective::bcast, "lanes(8x12)[ring]"), HasSubstr("scatter has no plan 'ring'"));
  EXPECT_THAT(error(Collective::bcast, "via(gather,bcast)"), HasSubstr("there is via(scatter,allgather)"));
  EXPECT_THAT(error(Collective::gatherv, "via(reduce)"), HasSubstr("there is via(allgather)"));
}

TEST(Plan, TextsThatNestTooDeepAreRefused) {
  EXPECT_EQ(text(Collective::bcast, "grid(1x2)[grid(1x2)[grid(1x2)[grid(1x2)[grid(1x2)[chain]]]]]"),
            "grid(1x2)[grid(1x2)[grid(1x2)[grid(1x2)[grid(1x2)[chain]]]]]");
  EXPECT_THAT(error(Collective::bcast, "grid(1x2)[grid(1x2)[grid(1x2)[grid(1x2)[grid(1x2)[near(chain)]]]]]"),
              HasSubstr("column 56: there are at most 6 plans within each other"));
  std::string deep;
  for (int level = 0; level < 200000; ++level) deep += level % 2 == 0 ? "memory(" : "ring[";
  EXPECT_THAT(error(Collective::bcast, deep), HasSubstr("there are at most 6 plans within each other"));
}

// A grid of so many sides, all of them of length 1 but for the last one.
std::string grid_of_sides(int sides) {
  std::string written = "grid(";
  for (int side = 1; side < sides; ++side) written += "1x";
  return written + "2)";
}

TEST(Plan, GridsHaveSoManySidesAndNoMore) {
  EXPECT_THAT(error(Collective::bcast, grid_of_sides(31)),
              HasSubstr("column 6: a grid has at most 30 sides, not 31"));
  EXPECT_THAT(error(Collective::bcast, "grid(1048576x1024x1048576x8192)"),
              HasSubstr("more ranks than there can be"));
  EXPECT_THAT(error(Collective::bcast, "grid(1048576x1024x1048576x1048576)"),
              HasSubstr("more ranks than there can be"));
  // What takes twice as long with every side would not end.
  const Plan plan = make_plan(Collective::bcast, grid_of_sides(30) + "[chain]").value();
  EXPECT_FALSE(plan.refusal({.ranks = 2}));
  EXPECT_EQ(blocks_for(plan, {.ranks = 2}, 100000), 13);
  std::string within = "recursive_doubling";
  for (int level = 0; level < 5; ++level) within = grid_of_sides(30) + "[" + within + "]";
  EXPECT_EQ(text(Collective::allreduce, within), within);
}

TEST(Plan, VastParametersAndManyRanksStayWithinNumbers) {
  const Plan pipelined = make_plan(Collective::allgather, "circulant_pipelined(1)").value();
  const std::size_t longer = std::size_t{1} << 60;
  EXPECT_EQ(blocks_for(pipelined, {.ranks = 16, .longer = longer}, 1), 16 * 4096);
  EXPECT_EQ(blocks_for(pipelined, {.ranks = 1000, .longer = longer}, 1), 1000 * 65);
  EXPECT_EQ(blocks_for(pipelined, {.ranks = 1 << 20, .longer = longer}, 1), 1 << 20);
  const Plan split = make_plan(Collective::allgather, "split(1)").value();
  EXPECT_EQ(blocks_for(split, {.ranks = 1 << 20}, std::size_t{1} << 40), (1 << 20) * 2047);
  const Plan tree = make_plan(Collective::bcast, "knomial(65536)").value();
  const Shape shape = shape_of(tree, {.ranks = 100000}, 0, 8);
  EXPECT_EQ(generate(tree, shape, 0).operations().size(), 65536u);
  EXPECT_EQ(generate(tree, shape, 65536).operations().size(), 1u + 100000 - 65537);
}

TEST(Plan, GridsRefuseOtherNumbersOfRanks) {
  const Plan grid = make_plan(Collective::bcast, "grid(8x12)").value();
  EXPECT_FALSE(grid.refusal({.ranks = 96}));
  EXPECT_THAT(grid.refusal({.ranks = 90}).value(), HasSubstr("a grid of 8 x 12 has 96 ranks, not 90"));
  const Plan columns = make_plan(Collective::allreduce, "grid(2x3,mapping=column_major)").value();
  EXPECT_FALSE(columns.refusal({.ranks = 6}));
  EXPECT_THAT(columns.refusal({.ranks = 6, .commutative = false}).value(), HasSubstr("does not commute"));
  const Plan exchange = make_plan(Collective::allgather, "grid(3x5)[neighbor_exchange]").value();
  EXPECT_THAT(exchange.refusal({.ranks = 15}).value(), HasSubstr("even number of ranks"));
  const Hosts uneven{0, 0, 1};
  const Plan lanes = make_plan(Collective::bcast, "lanes(node)").value();
  EXPECT_THAT(lanes.refusal({.ranks = 3, .hosts = &uneven}).value(), HasSubstr("rows of one length"));
}

TEST(Plan, RefusesOperationsThatDoNotCommute) {
  const Plan ring = make_plan(Collective::allreduce, "ring").value();
  EXPECT_FALSE(ring.refusal({.ranks = 4}));
  EXPECT_THAT(ring.refusal({.ranks = 4, .commutative = false}).value(), HasSubstr("does not commute"));
  EXPECT_FALSE(
      make_plan(Collective::allreduce, "rabenseifner").value().refusal({.ranks = 4, .commutative = false}));
}

TEST(Plan, EveryKnownPlanReadsBack) {
  for (const CollectiveTraits& collective : collectives) {
    const auto plans = known_plans(collective.collective);
    EXPECT_TRUE(plans.front().is_native());
    EXPECT_GE(plans.size(), 3u);
    for (const Plan& plan : plans) EXPECT_EQ(make_plan(collective.collective, plan.text()).value(), plan);
  }
}

TEST(Registry, DeclaresEverythingThatFollowsFromIt) {
  for (const Algorithm& algorithm : all_algorithms()) {
    EXPECT_FALSE(algorithm.name.empty() || algorithm.summary.empty() || algorithm.wins.empty() ||
                 algorithm.source.empty())
        << algorithm.name;
    EXPECT_TRUE(algorithm.generate) << algorithm.name;
    EXPECT_EQ(algorithm.blocks == nullptr,
              algorithm.is_computed() || traits(algorithm.collective).on_neighbors || algorithm.pieces)
        << algorithm.name;
    EXPECT_EQ(find_algorithm(algorithm.collective, algorithm.name), &algorithm)
        << "two algorithms are named " << algorithm.name;
  }
}

RC_GTEST_PROP(PlanSyntax, NeverFailsToAnswer, (const std::string& noise)) {
  const auto plan = parse_plan(noise);
  if (!plan) RC_ASSERT(plan.error().message.find("column") != std::string::npos);
}

TEST(Size, IsReadAndWritten) {
  EXPECT_EQ(parse_size("512").value(), 512u);
  EXPECT_EQ(parse_size("10K").value(), 10240u);
  EXPECT_EQ(parse_size("4mb").value(), 4194304u);
  EXPECT_EQ(size_text(10240), "10K");
  EXPECT_EQ(size_text(512000), "500K");
  EXPECT_EQ(size_text(1000), "1000");
  for (const char* wrong :
       {"", "K", "-1", "1.5K", "10X", "10KK", "99999999999999999999", "18446744073709551615G"})
    EXPECT_THAT(parse_size(wrong).error().message, HasSubstr("is not a size")) << wrong;
}

RC_GTEST_PROP(Size, ReadsBackWhatItWrites, (std::uint32_t bytes)) {
  RC_ASSERT(parse_size(size_text(bytes)).value() == bytes);
}

TEST(Suggest, FindsTheNearest) {
  EXPECT_EQ(nearest("bcat", {"bcast", "allgather"}), "bcast");
  EXPECT_EQ(nearest("recursive", {"ring", "recursive_doubling"}), "recursive_doubling");
  EXPECT_EQ(nearest("xyz", {"ring", "recursive_doubling"}), "");
}

}  // namespace
}  // namespace tutti
