// The protocol of stages, in a small model: every interleaving of what the ranks do is walked through,
// numbers wrap around on the way.

#include "transport/stages.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace tutti::runtime {
namespace {

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
std::string key(const State<ranks>& state) {
  std::string text(sizeof state, '\0');
  std::memcpy(text.data(), &state, sizeof state);
  return text;
}

// All states that can be reached; in each some rank can go on.
template <int ranks>
std::size_t explore() {
  State<ranks> first;
  std::memset(static_cast<void*>(&first), 0, sizeof first);  // no padding may tell states apart
  for (auto& rank : first.all) {
    rank.stages.begin();
    rank.number = 1;
    rank.next = Step::write;
  }
  std::set<std::string> known{key(first)};
  std::vector<State<ranks>> open{first};
  while (!open.empty() && !testing::Test::HasFailure()) {
    const State<ranks> state = open.back();
    open.pop_back();
    bool stuck = true;
    for (int rank = 0; rank < ranks; ++rank) {
      State<ranks> then = state;
      if (take_step(then, rank)) stuck = false;
      if (known.insert(key(then)).second) open.push_back(then);
    }
    EXPECT_FALSE(stuck) << "nobody can go on";
  }
  return known.size();
}

// Places, numbers and the model's own numbers repeat after eight stages: more states than eight times as many
// as a stage has steps were walked through.
TEST(Stages, TwoRanksSeeEachOthersStages) {
  EXPECT_GT(explore<2>(), 8u * 4);
}

TEST(Stages, ThreeRanksSeeEachOthersStages) {
  EXPECT_GT(explore<3>(), 8u * 4 * 4);
}

}  // namespace
}  // namespace tutti::runtime
