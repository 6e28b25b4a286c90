#include "core/schedule/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/schedule/conflicts.hpp"

namespace tutti {
namespace {

using testing::ElementsAre;

constexpr Shape four_ranks{Collective::allreduce, 4, 0, 8};

std::vector<OperationId> after(const Part& part, OperationId id) {
  const auto span = part.after(part[id]);
  return {span.begin(), span.end()};
}

TEST(Builder, AReadWaitsForTheLastWriteOfItsBlocks) {
  Builder b(four_ranks, 0);
  b.recv(1, output(0, 4));
  b.recv(2, output(4, 4));
  b.send(3, output(3, 2));
  b.send(3, output(5));
  const Part part = std::move(b).finish();
  EXPECT_THAT(after(part, 1), ElementsAre());
  EXPECT_THAT(after(part, 2), ElementsAre(0, 1));
  EXPECT_THAT(after(part, 3), ElementsAre(1));
}

TEST(Builder, AWriteWaitsForReadersAndOnlyWithoutThemForTheWriter) {
  Builder b(four_ranks, 0);
  b.recv(1, output(0));
  b.send(2, output(0));
  b.send(3, output(0));
  b.recv(1, output(0));
  b.recv(2, output(0));
  const Part part = std::move(b).finish();
  EXPECT_THAT(after(part, 3), ElementsAre(1, 2));
  EXPECT_THAT(after(part, 4), ElementsAre(3));
}

TEST(Builder, InputAndOutputMayBeTheSameMemory) {
  Builder b(four_ranks, 0);
  b.send(1, input(2));
  b.recv(1, output(2));
  b.recv(2, scratch(2));
  const Part part = std::move(b).finish();
  EXPECT_THAT(after(part, 1), ElementsAre(0));
  EXPECT_THAT(after(part, 2), ElementsAre());
}

TEST(Builder, ARoundWaitsForAllBefore) {
  Builder b(four_ranks, 0);
  b.recv(1, output(0));
  b.send(2, output(0));
  b.send(3, output(1));
  b.next_round();
  b.recv(1, output(5));
  b.send(2, output(5));
  b.next_round();
  b.next_round();
  b.send(1, output(7));
  const Part part = std::move(b).finish();
  EXPECT_THAT(after(part, 3), ElementsAre(1, 2));
  EXPECT_THAT(after(part, 4), ElementsAre(3));
  EXPECT_THAT(after(part, 5), ElementsAre(4));
}

TEST(Builder, NumbersMessagesByPeerAndDirection) {
  Builder b(four_ranks, 0);
  b.send(1, output(0));
  b.send(2, output(0));
  b.send(1, output(1));
  b.recv(1, output(2));
  const Part part = std::move(b).finish();
  EXPECT_EQ(part[0].tag, 0);
  EXPECT_EQ(part[1].tag, 0);
  EXPECT_EQ(part[2].tag, 1);
  EXPECT_EQ(part[3].tag, 0);
}

TEST(Builder, LeavesOutWhatTouchesNothing) {
  Builder b(four_ranks, 0);
  b.send(1, output(3, 0));
  b.copy(output(0, 0), input(0, 0));
  b.recv(1, Ranges{output(0, 0), scratch(2)});
  const Part part = std::move(b).finish();
  ASSERT_EQ(part.operations().size(), 1u);
  EXPECT_THAT(part.ranges(part[0]), ElementsAre(scratch(2)));
  EXPECT_EQ(part.scratch_blocks(), 3);
}

TEST(Cyclic, WrapsIntoTwoRanges) {
  const auto ranges = [](int first, int count) {
    const Ranges list = cyclic(Buffer::output, first, count, 8);
    const std::span<const BlockRange> span = list;
    return std::vector<BlockRange>(span.begin(), span.end());
  };
  EXPECT_THAT(ranges(2, 3), ElementsAre(output(2, 3)));
  EXPECT_THAT(ranges(6, 4), ElementsAre(output(6, 2), output(0, 2)));
  EXPECT_THAT(ranges(-1, 2), ElementsAre(output(7), output(0)));
  EXPECT_THAT(ranges(5, 3), ElementsAre(output(5, 3)));
}

// Whatever a generator writes, the parts that come out have no races, in place or not.
RC_GTEST_PROP(Builder, NeverMakesARace, ()) {
  Builder b(four_ranks, 0);
  const auto range = [](Buffer buffer) {
    const int first = *rc::gen::inRange(0, 8);
    return BlockRange{buffer, first, *rc::gen::inRange(1, 9 - first)};
  };
  const auto writable = [&] { return *rc::gen::element(Buffer::output, Buffer::scratch); };
  const auto any = [&] { return *rc::gen::element(Buffer::input, Buffer::output, Buffer::scratch); };
  const int operations = *rc::gen::inRange(1, 40);
  for (int i = 0; i < operations; ++i) {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        b.send(*rc::gen::inRange(1, 4), Ranges{range(any()), range(any())});
        break;
      case 1:
        b.recv(*rc::gen::inRange(1, 4), range(writable()));
        break;
      case 2: {
        const BlockRange into = range(writable());
        const BlockRange from{any(), *rc::gen::inRange(0, 9 - into.count), into.count};
        b.reduce(into, from,
                 from.buffer == Buffer::scratch
                     ? *rc::gen::element(OperandOrder::from_first, OperandOrder::into_first)
                     : OperandOrder::from_first);
        break;
      }
      case 3: {
        const BlockRange into = range(writable());
        b.copy(into, {any(), *rc::gen::inRange(0, 9 - into.count), into.count});
        break;
      }
      default:
        b.next_round();
    }
  }
  const Part part = std::move(b).finish();
  RC_ASSERT(find_conflicts(part, false).empty());
  RC_ASSERT(find_conflicts(part, true).empty());
}

// Without the waiting there are conflicts: the check itself can fail.
TEST(Conflicts, AreFound) {
  const Operation receive{.kind = OperationKind::recv, .peer = 1, .ranges_begin = 0, .ranges_count = 1};
  const Operation send{.kind = OperationKind::send, .peer = 2, .ranges_begin = 1, .ranges_count = 1};
  const std::vector<BlockRange> ranges{output(0, 3), output(2, 3)};
  const auto conflicts = find_conflicts(Part({receive, send}, ranges, {}), false);
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts[0].earlier, 0);
  EXPECT_EQ(conflicts[0].later, 1);
  EXPECT_EQ(conflicts[0].block, 2);
  // Two reads are none, and neither are blocks of different buffers.
  EXPECT_TRUE(find_conflicts(Part({send, send}, ranges, {}), false).empty());
  EXPECT_TRUE(find_conflicts(Part({receive, send}, {output(0, 3), input(2, 3)}, {}), false).empty());
  EXPECT_FALSE(find_conflicts(Part({receive, send}, {output(0, 3), input(2, 3)}, {}), true).empty());
  // Waiting by way of a third operation will do.
  Operation between = send, last = send;
  between.ranges_begin = 2;
  between.after_count = last.after_count = 1;
  last.after_begin = 1;
  EXPECT_TRUE(
      find_conflicts(Part({receive, between, last}, {output(0, 3), output(2, 3), input(7)}, {0, 1}), false)
          .empty());
}

}  // namespace
}  // namespace tutti
