// Blocks of other lengths than equal ones: how they are cut, what that costs, and which plans
// follow from it.

#include "core/schedule/block_lengths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "choose/planner/candidates.hpp"
#include "choose/planner/online_candidates.hpp"
#include "core/network/cut.hpp"
#include "core/network/hockney.hpp"
#include "core/network/price.hpp"
#include "core/plan/prove.hpp"

namespace tutti {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int ranks_with_blocks = 16;
constexpr std::size_t bytes_of_mean_block = 64 * 1024;
constexpr Hockney link_for_blocks{5e-5, 8e-9};

Setting with_blocks(BlockLengths lengths) {
  return {.ranks = ranks_with_blocks, .lengths = lengths};
}

double price_of_blocks(const Plan& plan, BlockLengths lengths) {
  const Schedule schedule =
      generate(plan, shape_of(plan, with_blocks(lengths), 0, ranks_with_blocks * bytes_of_mean_block));
  return price(schedule, ranks_with_blocks * bytes_of_mean_block, Network::uniform(link_for_blocks)).seconds;
}

TEST(BlockLengths, AreAllThereIs) {
  EXPECT_THAT(lengths_of(BlockLengths::equal, 4, 40), ElementsAre(10, 10, 10, 10));
  EXPECT_THAT(lengths_of(BlockLengths::irregular, 6, 60), ElementsAre(0, 10, 20, 0, 10, 20));
  EXPECT_THAT(lengths_of(BlockLengths::degenerate, 3, 40), ElementsAre(40, 0, 0));
  for (const std::string_view named : names_of_block_lengths)
    for (const int p : {1, 2, 3, 7})
      for (const std::size_t bytes : {0u, 1u, 5u, 1000u}) {
        const auto lengths = lengths_of(*block_lengths_named(named), p, bytes);
        EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}), bytes) << named << p;
        EXPECT_EQ(name(*block_lengths_named(named)), named);
      }
  EXPECT_FALSE(block_lengths_named("uneven"));
}

TEST(BlockLengths, CutEachRanksBlockIntoPieces) {
  const Shape shape{.collective = Collective::allgather,
                    .ranks = 3,
                    .root = 0,
                    .blocks = 6,
                    .lengths = BlockLengths::irregular};
  const Cut cut = Cut::of(shape, 33);  // 0, 11 and 22
  const auto bytes = [&](int first, int count) { return cut.bytes({Buffer::output, first, count}); };
  EXPECT_EQ(bytes(0, 2), 0);
  EXPECT_EQ(bytes(2, 1), 6);
  EXPECT_EQ(bytes(3, 1), 5);
  EXPECT_EQ(bytes(4, 2), 22);
  EXPECT_EQ(bytes(8, 2), 11) << "another copy of the vector";
  EXPECT_TRUE(cut.has_empty_blocks());
  EXPECT_FALSE(cut.is_nearly_equal());
}

// A long block goes in pieces, the more the longer it is among the others.
TEST(BlockLengths, DecideTheNumberOfPieces) {
  const auto pieces_of = [](std::string_view text, BlockLengths lengths) {
    return pieces(shape_of(make_plan(Collective::allgatherv, text).value(), with_blocks(lengths), 0,
                           ranks_with_blocks * bytes_of_mean_block));
  };
  EXPECT_EQ(pieces_of("circulant_pipelined", BlockLengths::equal), 1);
  EXPECT_EQ(pieces_of("circulant_pipelined", BlockLengths::irregular), 15);   // sqrt(3 · 74 KiB / 1 KiB)
  EXPECT_EQ(pieces_of("circulant_pipelined", BlockLengths::degenerate), 54);  // sqrt(3 · 960 KiB / 1 KiB)
  EXPECT_EQ(pieces_of("circulant_pipelined(16384)", BlockLengths::degenerate), 13);
  EXPECT_EQ(pieces_of("near(circulant_pipelined)", BlockLengths::degenerate), 54);
  EXPECT_EQ(pieces_of("circulant", BlockLengths::degenerate), 1);
  const Plan regular = Plan::of(Collective::allgather, "circulant_pipelined");
  EXPECT_EQ(pieces(shape_of(regular, with_blocks(BlockLengths::degenerate), 0,
                            ranks_with_blocks * bytes_of_mean_block)),
            1);
}

TEST(BlockLengths, ArePassedOnInPiecesInNearlyTheTimeOfOneBlock) {
  const Plan pipelined = Plan::of(Collective::allgatherv, "circulant_pipelined", {"4096"});
  const Plan circulant = Plan::of(Collective::allgatherv, "circulant");
  const Plan ring = Plan::of(Collective::allgatherv, "ring");
  EXPECT_EQ(price_of_blocks(pipelined, BlockLengths::equal), price_of_blocks(circulant, BlockLengths::equal));
  const double once = static_cast<double>(ranks_with_blocks * bytes_of_mean_block) * link_for_blocks.beta;
  EXPECT_LT(price_of_blocks(pipelined, BlockLengths::degenerate), 1.5 * once);
  EXPECT_GT(price_of_blocks(circulant, BlockLengths::degenerate), 3.9 * once);
  EXPECT_GT(price_of_blocks(ring, BlockLengths::degenerate), 14.9 * once);
  EXPECT_GT(price_of_blocks(ring, BlockLengths::irregular),
            1.5 * price_of_blocks(pipelined, BlockLengths::irregular));
}

// Tuning measures what is fast with such blocks, and not what is with equal ones.
TEST(BlockLengths, ChooseWhatIsMeasured) {
  Hosts hosts(ranks_with_blocks);
  std::iota(hosts.begin(), hosts.end(), 0);
  const Site site{.fingerprint = {}, .ranks = ranks_with_blocks, .hosts = hosts, .simulated = true};
  const auto best = [&](BlockLengths lengths) {
    const Point point{.collective = Collective::allgatherv,
                      .ranks = ranks_with_blocks,
                      .size = bytes_of_mean_block,
                      .lengths = lengths};
    return candidates(point, site, Network::uniform(link_for_blocks), {.cheapest = 1}).measured.at(1).text();
  };
  EXPECT_THAT(best(BlockLengths::degenerate), HasSubstr("circulant_pipelined"));
  EXPECT_THAT(best(BlockLengths::equal), testing::Not(HasSubstr("circulant_pipelined")));
}

// Programs try it, whatever prices of equal blocks say, by a parameter that is listed.
TEST(BlockLengths, AreThoughtOfInLearning) {
  Hosts hosts(64);
  std::iota(hosts.begin(), hosts.end(), 0);
  const Network network = Network::uniform({5e-5, 1e-8});
  const auto found = [&](Collective collective, const Wanted& wanted) {
    return cheapest({collective, {64, 64}, SizeClass::of(bytes_of_mean_block)},
                    {.ranks = 64, .hosts = &hosts}, &network, wanted);
  };
  const auto is_in_pieces = [](const Priced& one) {
    return one.plan.text().find("circulant_pipelined") != std::string::npos;
  };
  const auto plans = found(Collective::allgatherv, {});
  EXPECT_LE(plans.size(), planner::most_candidates);
  EXPECT_EQ(plans.at(1).plan.text(), "circulant_pipelined(4096)");
  EXPECT_EQ(plans.at(1).seconds, 0);
  EXPECT_TRUE(std::ranges::none_of(found(Collective::allgatherv, {.most_seconds = 1e-9}), is_in_pieces));
  EXPECT_TRUE(std::ranges::none_of(found(Collective::allgatherv, {.tried = {"circulant_pipelined(4096)"}}),
                                   [](const Priced& one) { return one.seconds == 0; }));
}

// Schedules with pieces are proven, too.
TEST(BlockLengths, AreProvenInPieces) {
  for (const int p : {3, 7, 16}) {
    const Proof proof = prove(Plan::of(Collective::allgatherv, "circulant_pipelined"), p, 0);
    EXPECT_EQ(proof.violation, "");
    EXPECT_EQ(proof.schedules, 4u) << "two numbers of pieces, each in place and not";
  }
}

}  // namespace
}  // namespace tutti
