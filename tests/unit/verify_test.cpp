// The verifier has to find every kind of mistake: a proof that can't fail proves nothing.

#include "core/schedule/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/plan/plan.hpp"
#include "core/schedule/builder.hpp"
#include "core/schedule/topology.hpp"

namespace tutti {
namespace {

using testing::HasSubstr;

using Write = std::function<void(Builder&)>;

Schedule make(const Shape& shape, const Write& write) {
  Schedule schedule{shape, {}};
  for (Rank rank = 0; rank < shape.ranks; ++rank) {
    Builder builder(shape, rank);
    write(builder);
    schedule.parts.push_back(std::move(builder).finish());
  }
  return schedule;
}

std::string first_violation(const Schedule& schedule, Conditions conditions = {}) {
  const auto violations = verify(schedule, conditions);
  return violations.empty() ? "none" : violations.front().message;
}

constexpr Shape two_bcast{Collective::bcast, 2, 0, 1};
constexpr Shape two_allreduce{Collective::allreduce, 2, 0, 1};
constexpr Shape three_allreduce{Collective::allreduce, 3, 0, 1};

// A shape for operations that do not commute.
constexpr Shape ordered(Shape shape) {
  shape.commutative = false;
  return shape;
}

TEST(Verify, AcceptsACorrectSchedule) {
  EXPECT_EQ(first_violation(make(
                two_bcast, [](Builder& b) { b.rank() == 0 ? b.send(1, output(0)) : b.recv(0, output(0)); })),
            "none");
}

// Rank 0's first message is received last: with one send under way nobody comes to its second.
TEST(Verify, FindsADeadlockUnderABoundOnMessagesUnderWay) {
  const Schedule schedule = make({Collective::bcast, 3, 0, 1}, [](Builder& b) {
    if (b.rank() == 0) {
      b.send(1, output(0));
      b.send(2, output(0));
    } else if (b.rank() == 1) {
      b.recv(2, output(0));
      b.recv(0, output(0));
    } else {
      b.recv(0, output(0));
      b.send(1, output(0));
    }
  });
  EXPECT_EQ(first_violation(schedule), "none");
  EXPECT_THAT(first_violation(schedule, {.one_at_a_time = true}), HasSubstr("deadlock"));
}

TEST(Verify, TellsOrdersOfOperandsApart) {
  const auto in_turn = [](Builder& b) {  // ((0 ∘ 1) ∘ 2) ∘ 3
    if (b.rank() == 0) {
      b.copy(scratch(0), input(0));
      for (Rank rank = 1; rank < b.ranks(); ++rank) {
        b.recv(rank, scratch(rank));
        b.reduce(scratch(0), scratch(rank), OperandOrder::into_first);
      }
      b.copy(output(0), scratch(0));
    } else {
      b.send(0, input(0));
    }
  };
  const Conditions fixed{.fixed_order = true};
  for (const int ranks : {2, 3, 4}) {
    const Schedule reduce = make(ordered({Collective::reduce, ranks, 0, 1}), in_turn);
    EXPECT_EQ(first_violation(reduce), "none");
    EXPECT_EQ(first_violation(reduce, fixed) == "none", ranks < 4) << ranks;
  }
  const auto reproducible = [](std::string_view text, int ranks) {
    return make_plan(Collective::allreduce, text)->keeps_fixed_order(ranks);
  };
  EXPECT_TRUE(reproducible("reduce_bcast", 5) && reproducible("binary_blocks", 7) &&
              reproducible("recursive_doubling", 8) && reproducible("via(allgather)", 5));
  EXPECT_FALSE(reproducible("recursive_doubling", 5) || reproducible("ring", 4) ||
               reproducible("native", 4) || reproducible("grid(2x2)[recursive_doubling]", 4));
}

TEST(Verify, FindsMissingData) {
  EXPECT_EQ(first_violation(make(two_bcast, [](Builder&) {})),
            "rank 1, result, block 0: holds nothing instead of block 0 of rank 0");
}

TEST(Verify, FindsAMessageThatNobodyReceives) {
  EXPECT_THAT(first_violation(make(two_bcast,
                                   [](Builder& b) {
                                     if (b.rank() == 0) b.send(1, output(0));
                                   })),
              HasSubstr("rank 0, operation 0 (send to 1: output 0): nobody receives this message"));
}

TEST(Verify, FindsAMessageThatNobodySends) {
  EXPECT_THAT(first_violation(make(two_bcast,
                                   [](Builder& b) {
                                     if (b.rank() == 1) b.recv(0, output(0));
                                   })),
              HasSubstr("rank 1, operation 0 (recv from 0: output 0): nobody sends this message"));
}

TEST(Verify, FindsMessagesOfDifferentSize) {
  EXPECT_THAT(first_violation(
                  make({Collective::bcast, 2, 0, 2},
                       [](Builder& b) { b.rank() == 0 ? b.send(1, output(0, 2)) : b.recv(0, output(0)); })),
              HasSubstr("expects 1 blocks, but rank 0 sends 2"));
}

TEST(Verify, FindsAMessageThatOneSideAloneLetsGoThroughMemory) {
  for (const bool memory : {false, true})
    EXPECT_THAT(first_violation(make(two_bcast,
                                     [memory](Builder& b) {
                                       b.through_memory((b.rank() == 0) == memory);
                                       b.rank() == 0 ? b.send(1, output(0)) : b.recv(0, output(0));
                                     })),
                HasSubstr(memory ? "outside memory, but rank 0 sends it through"
                                 : "through memory, but rank 0 sends it outside"));
}

TEST(Verify, FindsBlocksThatDifferInSize) {
  EXPECT_THAT(
      first_violation(make({Collective::bcast, 2, 0, 2},
                           [](Builder& b) {
                             b.rank() == 0 ? b.send(1, {output(1), output(0)}) : b.recv(0, output(0, 2));
                           })),
      HasSubstr("block 0: gets block 1, which differs in size"));
}

TEST(Verify, FindsADeadlockOfBlockingRings) {
  // Everyone sends before it receives, and waits in between: fine with buffers, stuck without.
  const Shape shape{Collective::allgather, 3, 0, 3};
  EXPECT_THAT(first_violation(make(shape,
                                   [](Builder& b) {
                                     b.send((b.rank() + 1) % 3, input(b.rank()));
                                     b.next_round();
                                     b.recv((b.rank() + 2) % 3, output((b.rank() + 2) % 3));
                                   })),
              HasSubstr("deadlock"));
}

TEST(Verify, FindsAReadOfNothing) {
  EXPECT_THAT(
      first_violation(
          make(two_bcast, [](Builder& b) { b.rank() == 0 ? b.send(1, scratch(0)) : b.recv(0, output(0)); })),
      HasSubstr(
          "rank 0, operation 0 (send to 1: scratch 0), block 0: reads a block that nothing has written"));
}

TEST(Verify, FindsAContributionCountedTwice) {
  EXPECT_THAT(first_violation(make(two_allreduce,
                                   [](Builder& b) {
                                     b.copy(output(0), input(0));
                                     b.copy(scratch(0), input(0));
                                     b.reduce(output(0), scratch(0), OperandOrder::from_first);
                                   })),
              HasSubstr("counts rank 0 twice"));
}

TEST(Verify, FindsABrokenOrder) {
  const Write exchange = [](Builder& b) {
    b.copy(output(0), input(0));
    b.recv(1 - b.rank(), scratch(0));
    b.send(1 - b.rank(), output(0));
    b.reduce(output(0), scratch(0), OperandOrder::from_first);
  };
  EXPECT_EQ(first_violation(make(two_allreduce, exchange)), "none");
  EXPECT_THAT(first_violation(make(ordered(two_allreduce), exchange)),
              HasSubstr("puts block 0 of rank 1 before block 0 of rank 0, which breaks rank order"));
}

TEST(Verify, FindsAnIncompleteReduction) {
  EXPECT_THAT(first_violation(make(three_allreduce,
                                   [](Builder& b) {
                                     b.copy(output(0), input(0));
                                     if (b.rank() == 2) return;
                                     b.recv(1 - b.rank(), scratch(0));
                                     b.send(1 - b.rank(), output(0));
                                     b.reduce(output(0), scratch(0), OperandOrder::from_first);
                                   })),
              HasSubstr("holds block 0 of ranks 0-1 instead of block 0 of ranks 0-2"));
}

TEST(Verify, FindsAWriteToTheInput) {
  EXPECT_THAT(first_violation(make(two_allreduce, [](Builder& b) { b.copy(input(0), output(0)); })),
              HasSubstr("writes the input"));
}

TEST(Verify, FindsADestroyedOperandOutsideScratch) {
  EXPECT_THAT(first_violation(make(two_allreduce,
                                   [](Builder& b) {
                                     b.copy(output(0), input(0));
                                     b.recv(1 - b.rank(), scratch(0));
                                     b.send(1 - b.rank(), input(0));
                                     b.reduce(scratch(0), output(0), OperandOrder::into_first);
                                   })),
              HasSubstr("into_first may destroy `from`, which is not in scratch"));
}

TEST(Verify, FindsRacesAndNonsenseInHandMadeParts) {
  const std::vector<BlockRange> ranges{output(0), output(0)};
  const Operation send{.kind = OperationKind::send, .peer = 1, .ranges_begin = 0, .ranges_count = 1};
  const Operation again{
      .kind = OperationKind::send, .peer = 1, .tag = 1, .ranges_begin = 0, .ranges_count = 1};
  const Operation receive{.kind = OperationKind::recv, .peer = 0, .ranges_begin = 0, .ranges_count = 1};
  const Operation receive_again{
      .kind = OperationKind::recv, .peer = 0, .tag = 1, .ranges_begin = 1, .ranges_count = 1};
  EXPECT_THAT(
      first_violation(
          {two_bcast, {Part({send, again}, ranges, {}), Part({receive, receive_again}, ranges, {})}}),
      HasSubstr("rank 1, operation 1 (recv from 0: output 0), block 0: may overlap with operation 0"));
  Operation to_nobody = send, beyond = send, impatient = send;
  to_nobody.peer = 2;
  impatient.after_count = 1;
  EXPECT_THAT(first_violation({two_bcast, {Part({to_nobody}, ranges, {}), Part({receive}, ranges, {})}}),
              HasSubstr("there is no such peer among 2 ranks"));
  EXPECT_THAT(first_violation({two_bcast, {Part({beyond}, {output(1)}, {}), Part({receive}, ranges, {})}}),
              HasSubstr("the buffer has 1 blocks"));
  EXPECT_THAT(first_violation({two_bcast, {Part({impatient}, ranges, {0}), Part({receive}, ranges, {})}}),
              HasSubstr("waits for operation 0, which is not before it"));
}

TEST(Verify, FindsAnInputThatInPlaceDestroys) {
  // Right as long as the output is other memory than the input.
  const Write write = [](Builder& b) {
    b.recv(1 - b.rank(), output(0));
    b.send(1 - b.rank(), input(0));
    b.reduce(output(0), input(0), OperandOrder::from_first);
  };
  EXPECT_EQ(first_violation(make(two_allreduce, write), {.in_place = false}).find("counts"),
            std::string::npos);
  EXPECT_NE(first_violation(make(two_allreduce, write), {.in_place = true}), "none");
}

TEST(Verify, RunsNativePhases) {
  const Write all = [](Builder& b) {
    b.native(
        {.collective = Collective::allreduce, .group = {0, 1, 2}, .into = {output(0)}, .from = {input(0)}});
  };
  EXPECT_EQ(first_violation(make(ordered(three_allreduce), all)), "none");
  const Write some = [](Builder& b) {
    if (b.rank() < 2)
      b.native(
          {.collective = Collective::allreduce, .group = {0, 1}, .into = {output(0)}, .from = {input(0)}});
  };
  EXPECT_THAT(first_violation(make(three_allreduce, some)), HasSubstr("holds block 0 of ranks 0-1"));
  const Write alone = [](Builder& b) {
    if (b.rank() == 0)
      b.native(
          {.collective = Collective::allreduce, .group = {0, 1, 2}, .into = {output(0)}, .from = {input(0)}});
  };
  EXPECT_THAT(first_violation(make(three_allreduce, alone)), HasSubstr("deadlock"));
  const Write some_in_memory = [](Builder& b) {
    b.native({.collective = Collective::allreduce,
              .group = {0, 1, 2},
              .in_memory = b.rank() == 1,
              .into = {output(0)},
              .from = {input(0)}});
  };
  EXPECT_THAT(first_violation(make(three_allreduce, some_in_memory)),
              HasSubstr("some ranks of a phase carry it out in memory, and some do not"));
}

TEST(Verify, NativeAllgatherAndBcast) {
  EXPECT_EQ(first_violation(make({Collective::allgather, 3, 0, 3},
                                 [](Builder& b) {
                                   std::vector<Ranges> from(3);
                                   from[static_cast<std::size_t>(b.rank())] = input(b.rank());
                                   b.native({.collective = Collective::allgather,
                                             .group = {0, 1, 2},
                                             .into = {output(0), output(1), output(2)},
                                             .from = from});
                                 })),
            "none");
  EXPECT_EQ(first_violation(make({Collective::bcast, 3, 1, 1},
                                 [](Builder& b) {
                                   if (b.rank() == 1)
                                     b.native({.collective = Collective::bcast,
                                               .group = {0, 1, 2},
                                               .root = 1,
                                               .into = {Ranges{}},
                                               .from = {output(0)}});
                                   else
                                     b.native({.collective = Collective::bcast,
                                               .group = {0, 1, 2},
                                               .root = 1,
                                               .into = {output(0)},
                                               .from = {Ranges{}}});
                                 })),
            "none");
}

// A schedule of the catalogue with any one operation taken out, or any one range moved, is no
// longer right.
TEST(Verify, EveryOperationOfAnAlgorithmMatters) {
  const Topology neighbors = stencil_topology(9, 6).value();
  const Setting setting{.ranks = 6, .topology = &neighbors};
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective)) {
      if (plan.is_native() || plan.is_computed()) continue;
      const Shape shape = shape_of(plan, setting, 0, 600);
      for (Rank rank = 0; rank < shape.ranks; ++rank) {
        const Part whole = generate(plan, shape, rank);
        for (OperationId left_out = 0; left_out < static_cast<OperationId>(whole.operations().size());
             ++left_out) {
          Schedule schedule = generate(plan, shape);
          Builder builder(shape, rank);
          for (OperationId id = 0; id < static_cast<OperationId>(whole.operations().size()); ++id) {
            if (id == left_out) continue;
            const Operation& op = whole[id];
            const auto list = whole.ranges(op);
            Ranges ranges{};
            for (const BlockRange& range : list) ranges.add(range);
            switch (op.kind) {
              case OperationKind::send:
                builder.send(op.peer, ranges);
                break;
              case OperationKind::recv:
                builder.recv(op.peer, ranges);
                break;
              case OperationKind::reduce:
                builder.reduce(list[0], list[1], op.order);
                break;
              case OperationKind::copy:
                builder.copy(list[0], list[1]);
                break;
              case OperationKind::clear:
              case OperationKind::native:
                break;
            }
          }
          schedule.parts[static_cast<std::size_t>(rank)] = std::move(builder).finish();
          EXPECT_FALSE(verify(schedule, {}).empty())
              << collective.name << " " << plan.text() << " without operation " << left_out << " of rank "
              << rank;
        }
      }
    }
}

}  // namespace
}  // namespace tutti
