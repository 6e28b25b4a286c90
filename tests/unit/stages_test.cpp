// The protocol of stages, in a small model: every interleaving of what the ranks do is walked
// through, numbers wrap around on the way.

#include "run/transport/stages.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "interleavings.hpp"

namespace tutti::run {
namespace of_stages {

struct ModelNumber {
  std::uint8_t value = 0;
  std::uint8_t load(std::memory_order) const { return value; }
  void store(std::uint8_t to, std::memory_order) { value = to; }
};

// A number that wraps around soon.
class Modulo4 {
 public:
  Modulo4(std::uint8_t value = 0) : value_(value) {}
  Modulo4& operator++() {
    value_ = (value_ + 1) & 3;
    return *this;
  }
  operator std::uint8_t() const { return value_; }

 private:
  std::uint8_t value_;
};

enum class Step : std::uint8_t { write, show, look, read };

template <int ranks>
struct State {
  struct Rank {
    ModelNumber shown;
    Stages<Modulo4> stages;
    Step next;
    std::uint8_t other;   // looked at, or read
    std::uint8_t number;  // of the stage, modulo 8
    std::array<std::uint8_t, 2> held;
    std::array<bool, 2> being_written;
  };
  std::array<Rank, ranks> all;

  ModelNumber& shown(int rank) { return all[static_cast<std::size_t>(rank)].shown; }
};

// Whether the rank could take its step, each of which touches what others see once.
template <int ranks>
bool take_step(State<ranks>& state, int rank) {
  auto& me = state.all[static_cast<std::size_t>(rank)];
  const auto place = static_cast<std::size_t>(me.stages.place());
  switch (me.next) {
    case Step::write:
      me.being_written[place] = true;
      me.held[place] = me.number;
      me.next = Step::show;
      return true;
    case Step::show:
      me.being_written[place] = false;
      me.stages.show(state, rank);
      me.other = 0;
      me.next = Step::look;
      return true;
    case Step::look:
      if (me.other == rank) ++me.other;
      if (me.other < ranks) {
        if (!me.stages.sees(state, me.other)) return false;
        me.next = Step::read;
        return true;
      }
      me.stages.begin();
      me.number = (me.number + 1) & 7;
      me.next = Step::write;
      return true;
    case Step::read: {
      const auto& other = state.all[me.other];
      EXPECT_FALSE(other.being_written[place]) << "it is read while it is written";
      EXPECT_EQ(other.held[place], me.number) << "another stage's is read";
      ++me.other;
      me.next = Step::look;
      return true;
    }
  }
  return false;
}

template <int ranks>
std::size_t explore() {
  auto first = blank<State<ranks>>();
  for (auto& rank : first.all) {
    rank.stages.begin();
    rank.number = 1;
    rank.next = Step::write;
  }
  return walk_through(first, ranks, [](auto& state, int rank) { return take_step(state, rank); });
}

// Places, numbers and the model's own numbers repeat after eight stages: more states than eight
// times as many as a stage has steps were walked through.
TEST(Stages, TwoRanksSeeEachOthersStages) {
  EXPECT_GT(explore<2>(), 8u * 4);
}

TEST(Stages, ThreeRanksSeeEachOthersStages) {
  EXPECT_GT(explore<3>(), 8u * 4 * 4);
}

}  // namespace of_stages
}  // namespace tutti::run
