// The verifier has to find every kind of mistake: a proof that can't fail proves nothing.

#include "core/schedule/verify.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
  for (const Rank nobody : {2, -1, 0}) {  // rank 0 itself
    to_nobody.peer = nobody;
    EXPECT_THAT(first_violation({two_bcast, {Part({to_nobody}, ranges, {}), Part({receive}, ranges, {})}}),
                HasSubstr("there is no such peer among 2 ranks"));
  }
  for (const BlockRange& wrong : {output(1), output(-1), output(0, 2), output(1, -1)})
    EXPECT_THAT(first_violation({two_bcast, {Part({beyond}, {wrong}, {}), Part({receive}, ranges, {})}}),
                HasSubstr("the buffer has 1 blocks"));
  for (const OperationId later : {0, -1})
    EXPECT_THAT(
        first_violation({two_bcast, {Part({impatient}, ranges, {later}), Part({receive}, ranges, {})}}),
        HasSubstr(fmt::format("waits for operation {}, which is not before it", later)));
}

// A reduction that may destroy its second operand leaves nothing there.
TEST(Verify, FindsAReadOfWhatAReductionMayHaveDestroyed) {
  for (const OperandOrder order : {OperandOrder::from_first, OperandOrder::into_first}) {
    const std::string found = first_violation(make(two_allreduce, [order](Builder& b) {
      b.copy(output(0), input(0));
      b.recv(1 - b.rank(), scratch(0));
      b.send(1 - b.rank(), input(0));
      b.reduce(output(0), scratch(0), order);
      b.copy(scratch(1), scratch(0));
    }));
    EXPECT_THAT(
        found,
        HasSubstr(order == OperandOrder::from_first ? "none" : "reads a block that nothing has written"));
  }
}

TEST(Verify, FindsBlocksThatTheCallerHasNot) {
  const auto gather_by_way_of = [](const BlockRange& there) {
    return first_violation(make({Collective::gather, 2, 0, 2}, [there](Builder& b) {
      if (b.rank() == 0) {
        b.copy(output(0), input(0));
        b.recv(1, output(1));
      } else {
        b.copy(there, input(1));
        b.send(0, there);
      }
    }));
  };
  EXPECT_EQ(gather_by_way_of(scratch(1)), "none");
  EXPECT_THAT(gather_by_way_of(output(1)), HasSubstr("block 1: the caller has no such block on this rank"));
  EXPECT_THAT(first_violation(make({Collective::gather, 2, 0, 2},
                                   [](Builder& b) {
                                     if (b.rank() == 0) b.copy(output(1), input(1));
                                   })),
              HasSubstr("block 1: the caller has no such block on this rank"));
}

TEST(Verify, FindsValuesCombinedWhereThereIsNoOperation) {
  EXPECT_THAT(first_violation(make(two_bcast,
                                   [](Builder& b) {
                                     if (b.rank() == 1) return b.recv(0, output(0));
                                     b.copy(scratch(0), output(0));
                                     b.reduce(scratch(0), output(0), OperandOrder::from_first);
                                     b.send(1, output(0));
                                   })),
              HasSubstr("combines values, for which the call has no operation"));
}

// Blocks of an alltoall differ in size from rank to rank, so that none fits where another one was.
TEST(Verify, FindsASecondBlockInThePlaceOfAnother) {
  for (const int second : {0, 1}) {
    const std::string found = first_violation(make({Collective::alltoall, 2, 0, 2}, [second](Builder& b) {
      const Rank other = 1 - b.rank();
      b.copy(scratch(0), input(other));
      b.send(other, scratch(0));
      b.copy(scratch(second), input(b.rank()));
      b.copy(output(b.rank()), scratch(second));
      b.recv(other, output(other));
    }));
    EXPECT_THAT(found, HasSubstr(second == 0 ? "gets a second block, which may differ in size" : "none"));
  }
}

// On four ranks: each hears of one other, then of that one and two more. Where the second message
// does not wait for the first it says nothing of those.
TEST(Verify, FindsABarrierThatARankLeavesEarly) {
  const auto barrier = [](int ranks, std::vector<int> distances, bool in_rounds) {
    return first_violation(make({Collective::barrier, ranks, 0, 1}, [=](Builder& b) {
      int place = 0;
      for (const int distance : distances) {
        if (in_rounds) b.next_round();
        b.recv((b.rank() - distance + b.ranks()) % b.ranks(), scratch(place++));
        b.send((b.rank() + distance) % b.ranks(), output(0));
      }
    }));
  };
  EXPECT_EQ(barrier(4, {1, 2}, true), "none");
  EXPECT_EQ(barrier(4, {1, 2}, false), "rank 0, result: may leave before rank 1 has come");
  EXPECT_EQ(barrier(4, {1}, true), "rank 0, result: may leave before rank 1 has come");
  EXPECT_EQ(barrier(3, {1, 2}, false), "none");
  EXPECT_EQ(barrier(2, {}, true), "rank 0, result: may leave before rank 1 has come");
  // A phase left to the library waits for all of its group, and for nobody else.
  const auto by_library = [](std::vector<Rank> group) {
    return first_violation(make({Collective::barrier, 3, 0, 1}, [group](Builder& b) {
      if (b.rank() < static_cast<Rank>(group.size()))
        b.native({.collective = Collective::barrier, .group = group, .into = {}, .from = {}});
    }));
  };
  EXPECT_EQ(by_library({0, 1, 2}), "none");
  EXPECT_EQ(by_library({0, 1}), "rank 0, result: may leave before rank 2 has come");
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

// A reduce_scatter of two ranks, from blocks in scratch into one that lies there, too.
TEST(Verify, FindsANativePhaseThatGetsWhereItGives) {
  const auto scattered = [](int place) {
    return first_violation(make({Collective::reduce_scatter_block, 2, 0, 2}, [place](Builder& b) {
      const int me = b.rank();
      std::vector<Ranges> into(2);
      into[static_cast<std::size_t>(me)] = scratch(place + me);
      b.copy(scratch(0, 2), input(0, 2));
      b.native({.collective = Collective::reduce_scatter_block,
                .group = {0, 1},
                .into = into,
                .from = {scratch(0), scratch(1)}});
      b.copy(output(me), scratch(place + me));
    }));
  };
  EXPECT_EQ(scattered(2), "none");
  EXPECT_THAT(scattered(0), HasSubstr("the native phase gets where it gives"));
  const Schedule of_callers_memory = make({Collective::reduce_scatter_block, 2, 0, 2}, [](Builder& b) {
    std::vector<Ranges> into(2);
    into[static_cast<std::size_t>(b.rank())] = output(b.rank());
    b.native({.collective = Collective::reduce_scatter_block,
              .group = {0, 1},
              .into = into,
              .from = {input(0), input(1)}});
  });
  EXPECT_EQ(first_violation(of_callers_memory), "none");
  EXPECT_THAT(first_violation(of_callers_memory, {.in_place = true}),
              HasSubstr("the native phase gets where it gives"));
}

TEST(Verify, FindsNativePhasesThatRanksDoNotMeanAlike) {
  const auto meant = [](Collective of_rank_1, int root_of_rank_1) {
    return first_violation(make(two_allreduce, [=](Builder& b) {
      b.native({.collective = b.rank() == 0 ? Collective::allreduce : of_rank_1,
                .group = {0, 1},
                .root = b.rank() == 0 ? 0 : root_of_rank_1,
                .into = {output(0)},
                .from = {input(0)}});
    }));
  };
  EXPECT_EQ(meant(Collective::allreduce, 0), "none");
  EXPECT_THAT(meant(Collective::scan, 0), HasSubstr("the ranks of a native phase mean different ones"));
  EXPECT_THAT(meant(Collective::allreduce, 1), HasSubstr("the ranks of a native phase mean different ones"));
}

TEST(Verify, FindsANativePhaseThatDeliversOtherBlocks) {
  const auto gathered = [](int wanted, std::size_t blocks) {
    return first_violation(make({Collective::allgather, 2, 0, 4}, [=](Builder& b) {
      std::vector<Ranges> from(blocks);
      if (const auto me = static_cast<std::size_t>(b.rank()); me < blocks) from[me] = input(2 * b.rank(), 2);
      b.native({.collective = Collective::allgather,
                .group = {0, 1},
                .into = {output(0, wanted), output(2, wanted)},
                .from = from});
    }));
  };
  EXPECT_EQ(gathered(2, 2), "none");
  EXPECT_THAT(gathered(1, 2), HasSubstr("the native phase delivers 2 blocks"));
  EXPECT_THAT(gathered(2, 1), HasSubstr("the native phase delivers no such block"));
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

// A part without one of its operations: what waits for that waits for what it would have waited
// for. Messages behind it are numbered anew.
Part without(const Part& whole, OperationId left_out) {
  std::vector<Operation> operations;
  std::vector<BlockRange> ranges;
  std::vector<OperationId> after;
  for (OperationId id = 0; id < static_cast<OperationId>(whole.operations().size()); ++id) {
    if (id == left_out) continue;
    Operation op = whole[id];
    const Operation& gone = whole[left_out];
    if (id > left_out && op.kind == gone.kind && op.peer == gone.peer &&
        (op.kind == OperationKind::send || op.kind == OperationKind::recv))
      --op.tag;
    const auto own = whole.ranges(op);
    const std::size_t first = after.size();
    const auto wait_for = [&](OperationId earlier) {
      after.push_back(earlier < left_out ? earlier : earlier - 1);
    };
    for (const OperationId earlier : whole.after(op))
      if (earlier != left_out)
        wait_for(earlier);
      else
        std::ranges::for_each(whole.after(gone), wait_for);
    op.ranges_begin = static_cast<std::uint32_t>(ranges.size());
    op.after_begin = static_cast<std::uint32_t>(first);
    op.after_count = static_cast<std::uint32_t>(after.size() - first);
    ranges.insert(ranges.end(), own.begin(), own.end());
    operations.push_back(op);
  }
  return Part(operations, ranges, after, whole.scratch_blocks());
}

// A schedule of the catalogue is right, and with any one operation taken out it is no longer.
TEST(Verify, EveryOperationOfAnAlgorithmMatters) {
  const Topology neighbors = stencil_topology(9, 6).value();
  const Setting setting{.ranks = 6, .topology = &neighbors};
  int plans = 0;
  for (const CollectiveTraits& collective : collectives)
    for (const Plan& plan : known_plans(collective.collective)) {
      if (plan.is_native() || plan.is_computed()) continue;
      const Schedule whole = generate(plan, shape_of(plan, setting, 0, 600));
      EXPECT_EQ(first_violation(whole), "none") << collective.name << " " << plan.text();
      ++plans;
      for (std::size_t rank = 0; rank < whole.parts.size(); ++rank) {
        const Part& part = whole.parts[rank];
        if (!part.native_phases().empty()) continue;
        for (OperationId left_out = 0; left_out < static_cast<OperationId>(part.operations().size());
             ++left_out) {
          Schedule schedule = whole;
          schedule.parts[rank] = without(part, left_out);
          EXPECT_FALSE(verify(schedule, {}).empty())
              << collective.name << " " << plan.text() << " without operation " << left_out << " of rank "
              << rank;
        }
      }
    }
  EXPECT_GT(plans, 100);
}

}  // namespace
}  // namespace tutti
