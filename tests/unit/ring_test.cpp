// The protocol of messages through memory, in a small model: every interleaving of what the ranks
// do is walked through, numbers wrap around on the way.

#include "run/transport/ring.hpp"

#include <gtest/gtest.h>

#include <array>

#include "interleavings.hpp"

namespace tutti::run {
namespace {

/// An atomic number, of which a state of the model has a copy.
struct ModelNumber {
  std::uint64_t value = 0;
  std::uint64_t load(std::memory_order) const { return value; }
  void store(std::uint64_t to, std::memory_order) { value = to; }
};

constexpr std::uint32_t slots = 2;
using Number = std::uint8_t;  // wraps around soon
using SmallRing = Ring<Number, slots>;

/// One direction between two ranks, with what the slots hold.
struct Direction {
  std::array<ModelNumber, slots> labels;
  ModelNumber taken_number;
  std::array<Number, slots> held{};
  std::array<bool, slots> being_written{};
  SmallRing::Writer writer;
  SmallRing::Reader reader;
  Number written = 0, read = 0;  // pieces, so far

  ModelNumber& label(std::uint32_t slot) { return labels[slot]; }
  ModelNumber& taken() { return taken_number; }
};

/// What a rank does next. A step touches what others see once, so that no other one can come
/// between.
enum class Step : std::uint8_t { look_for_room, fill, pass_on, look_for_piece, read, give_back };

/// Some ranks, each of which sends to one and receives from one, piece by piece.
template <int ranks>
struct State {
  std::array<Direction, ranks> to;  // the one that rank sends to
  std::array<Step, ranks> next;
};

// A rank that has only to send, or only to receive, stays with its three steps.
enum class Duty { both, send, receive };

Step after(Step step, Duty duty) {
  switch (step) {
    case Step::look_for_room:
      return Step::fill;
    case Step::fill:
      return Step::pass_on;
    case Step::pass_on:
      return duty == Duty::both ? Step::look_for_piece : Step::look_for_room;
    case Step::look_for_piece:
      return Step::read;
    case Step::read:
      return Step::give_back;
    case Step::give_back:
      return duty == Duty::both ? Step::look_for_room : Step::look_for_piece;
  }
  return step;
}

// Whether the rank could take its step; looks in vain change nothing but what the writer knows.
template <int ranks>
bool take_step(State<ranks>& state, int rank, Duty duty) {
  Direction& out = state.to[static_cast<std::size_t>(rank)];
  Direction& in = state.to[static_cast<std::size_t>((rank + ranks - 1) % ranks)];
  Step& next = state.next[static_cast<std::size_t>(rank)];
  std::uint32_t what = 0;
  switch (next) {
    case Step::look_for_room:
      if (!out.writer.has_room(out)) return false;
      out.being_written[out.writer.slot()] = true;
      break;
    case Step::fill:
      out.held[out.writer.slot()] = ++out.written;
      break;
    case Step::pass_on:
      out.being_written[out.writer.slot()] = false;
      out.writer.pass_on(out, out.written);
      break;
    case Step::look_for_piece:
      if (!in.reader.has_piece(in, what)) return false;
      EXPECT_EQ(what, static_cast<Number>(in.read + 1)) << "a piece is skipped, or comes twice";
      break;
    case Step::read:
      EXPECT_FALSE(in.being_written[in.reader.slot()]) << "it is read while it is written";
      EXPECT_EQ(in.held[in.reader.slot()], static_cast<Number>(in.read + 1));
      ++in.read;
      break;
    case Step::give_back:
      in.reader.give_back(in);
      break;
  }
  next = after(next, duty);
  return true;
}

template <int ranks>
std::size_t explore(const std::array<Duty, ranks>& duties) {
  auto first = blank<State<ranks>>();
  for (std::size_t r = 0; r < ranks; ++r)
    first.next[r] = duties[r] == Duty::receive ? Step::look_for_piece : Step::look_for_room;
  return walk_through(first, ranks, [&](auto& state, int rank) {
    return take_step(state, rank, duties[static_cast<std::size_t>(rank)]);
  });
}

// Numbers have wrapped around when a state is reached in which more were read than there are
// numbers: the walk ends where states repeat, so that all remainders have come.
TEST(Ring, PassesEveryPieceOnceInOrder) {
  const auto states = explore<2>({Duty::send, Duty::receive});
  EXPECT_GT(states, 256u * 6);
}

TEST(Ring, TwoRanksThatSendToEachOtherGoOn) {
  const auto states = explore<2>({Duty::both, Duty::both});
  EXPECT_GT(states, 256u * 6);
}

TEST(Ring, ThreeRanksInACircleGoOn) {
  const auto states = explore<3>({Duty::both, Duty::both, Duty::both});
  EXPECT_GT(states, 256u * 18);
}

// The walk finds a fault: with one slot more than there are, one is written before it was read.
TEST(Ring, AWriterThatDoesNotLookIsFound) {
  Direction direction{};
  for (std::uint32_t piece = 1; piece <= slots + 1; ++piece) {
    EXPECT_EQ(direction.writer.has_room(direction), piece <= slots);
    direction.writer.pass_on(direction, piece);
  }
  std::uint32_t what = 0;
  EXPECT_FALSE(direction.reader.has_piece(direction, what)) << "the first piece was written over";
}

// Who waits until a piece has been taken is told so when it has, and not before, wherever numbers
// are.
TEST(Ring, SaysWhatHasBeenTaken) {
  Direction direction{};
  std::uint32_t what = 0;
  for (int round = 0; round < 600; ++round) {
    direction.writer.pass_on(direction, 0);
    const Number first = direction.writer.passed();
    direction.writer.pass_on(direction, 0);
    EXPECT_FALSE(direction.writer.is_taken(direction, first));
    for (const bool last : {false, true}) {
      ASSERT_TRUE(direction.reader.has_piece(direction, what));
      direction.reader.give_back(direction);
      EXPECT_TRUE(direction.writer.is_taken(direction, first));
      EXPECT_EQ(direction.writer.is_taken(direction, direction.writer.passed()), last);
    }
  }
}

}  // namespace
}  // namespace tutti::run
