// Tests which sizes calls are taken to have of which each rank knows only its own.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "choose/online/size_pattern.hpp"

namespace tutti {
namespace {

// Bytes of a call on a rank.
using Sizes = std::function<std::size_t(int call, int rank)>;

// Ranks that make calls and tell each other what they are to tell.
class Ranks {
 public:
  explicit Ranks(Sizes sizes) : sizes_(std::move(sizes)) {}

  // What the next call is taken for, by all ranks alike.
  std::optional<SizeClass> call() {
    if (patterns_[0].is_told()) {
      told_.clear();
      for (SizePattern& pattern : patterns_) {
        EXPECT_TRUE(pattern.is_told());
        const auto mine = pattern.tell();
        told_.resize(mine.size());
        for (std::size_t i = 0; i < mine.size(); ++i) told_[i] = std::max(told_[i], mine[i]);
      }
      ++tellings;
    }
    for (SizePattern& pattern : patterns_)
      if (pattern.is_heard()) pattern.hear(told_);
    auto taken = patterns_[0].next();
    for (int rank = 0; rank < std::ssize(patterns_); ++rank) {
      SizePattern& pattern = patterns_[static_cast<std::size_t>(rank)];
      EXPECT_EQ(pattern.next(), taken) << "rank " << rank;
      pattern.count(SizeClass::of(sizes_(call_, rank)));
    }
    if (taken) {
      heard.insert(*taken);
      taken = patterns_[0].learnt_as(*taken);
      seen.insert(*taken);
    }
    ++call_;
    return taken;
  }
  // Calls that were not taken for what the largest rank has, or its neighbour.
  int wrong(int calls) {
    int count = 0;
    for (int i = 0; i < calls; ++i) {
      std::size_t largest = 0;
      for (int rank = 0; rank < std::ssize(patterns_); ++rank)
        largest = std::max(largest, sizes_(call_, rank));
      const auto taken = call();
      count += !taken || std::abs(taken->number - SizeClass::of(largest).number) > 1;
    }
    return count;
  }

  int tellings = 0;
  std::set<SizeClass> heard, seen;  // as calls are taken, and as they are learnt of

 private:
  Sizes sizes_;
  std::vector<SizePattern> patterns_{3};
  std::vector<std::uint8_t> told_;
  int call_ = 0;
};

TEST(SizePattern, IsTheLargestRanksSize) {
  Ranks ranks([](int, int rank) { return rank == 1 ? 5000 : 30; });
  EXPECT_FALSE(ranks.call());
  EXPECT_EQ(ranks.wrong(9), 3);
  EXPECT_EQ(ranks.wrong(1000), 0);
  EXPECT_EQ(ranks.seen, std::set{SizeClass::of(5000)});
}

// Where programs repeat themselves each place in the period has its own size, whichever rank has
// most there.
TEST(SizePattern, FollowsAProgramsPeriod) {
  for (const int period : {2, 3, 5, 12, 32}) {
    std::vector<std::size_t> cycle;
    for (int i = 0; i < period; ++i) cycle.push_back(std::size_t{1} << (i * 7 % 5 * 3));
    Ranks ranks([&](int call, int rank) {
      return rank == call % 3 ? cycle[static_cast<std::size_t>(call % period)] : 1;
    });
    for (int i = 0; i < 4 * period + 16 + 64; ++i) ranks.call();
    EXPECT_EQ(ranks.wrong(2000), 0) << period;
  }
}

// One large call among many small ones is what takes time.
TEST(SizePattern, SeesRareLargeCalls) {
  Ranks ranks([](int call, int) { return call % 20 == 7 ? 100'000 : 100; });
  for (int i = 0; i < 150; ++i) ranks.call();
  EXPECT_EQ(ranks.wrong(1000), 0);
}

// Sizes at random are one size for all, and what happens to look like a pattern none.
TEST(SizePattern, IsOneSizeWhereThereIsNoPattern) {
  for (const double spread : {1.0, 3.0, 6.0}) {
    std::mt19937 random(11);
    std::vector<std::size_t> sizes;
    std::uniform_real_distribution exponent(10.0, 10.0 + spread);
    for (int i = 0; i < 4000; ++i) sizes.push_back(static_cast<std::size_t>(std::exp2(exponent(random))));
    Ranks ranks([&](int call, int) { return sizes[static_cast<std::size_t>(call)]; });
    for (int i = 0; i < 4000; ++i) ranks.call();
    EXPECT_LE(ranks.seen.size(), spread < 4 ? 2u : 3u) << spread;
    EXPECT_GE(std::prev(ranks.seen.end())->number, 10 + spread - 1) << spread;
  }
}

// Calls that grow into the next class are taken for what they are, and learnt of as before.
TEST(SizePattern, FollowsCallsIntoTheNextClass) {
  Ranks ranks([](int call, int) { return call < 50 ? 1500 : 3000; });
  for (int i = 0; i < 1000; ++i) ranks.call();
  EXPECT_EQ(ranks.heard, (std::set{SizeClass::of(1500), SizeClass::of(3000)}));
  EXPECT_EQ(ranks.seen, std::set{SizeClass::of(1500)});
}

// A few calls out of turn do no harm for long; another pattern is followed.
TEST(SizePattern, FollowsChanges) {
  Ranks ranks([](int call, int) {
    if (call >= 1500 && call < 1507) return 100;  // puts the pattern out of step
    if (call < 3000) return call % 2 == 0 ? 100 : 10'000;
    return call % 3 == 0 ? 1'000'000 : 50;
  });
  for (int i = 0; i < 100; ++i) ranks.call();
  EXPECT_EQ(ranks.wrong(1400), 0);
  for (int i = 1500; i < 3000; ++i) ranks.call();
  EXPECT_EQ(ranks.wrong(1), 1);
  for (int i = 3001; i < 4500; ++i) ranks.call();
  EXPECT_EQ(ranks.wrong(1000), 0);
}

// What is told is told once, and nothing is told anew before it was heard, however many calls go on
// meanwhile.
TEST(SizePattern, IsToldOnce) {
  for (const std::int64_t calls_while_told : {2, 8}) {
    SizePattern pattern(calls_while_told);
    while (!pattern.is_told()) pattern.count(SizeClass::of(100));
    const auto mine = pattern.tell();
    EXPECT_FALSE(pattern.is_told());
    for (std::int64_t call = 0; call < calls_while_told; ++call) {
      EXPECT_FALSE(pattern.is_heard());
      EXPECT_FALSE(pattern.next());
      pattern.count(SizeClass::of(100));
      EXPECT_FALSE(pattern.is_told());
    }
    EXPECT_TRUE(pattern.is_heard());
    pattern.hear(mine);
    EXPECT_EQ(pattern.next(), SizeClass::of(100));
    EXPECT_EQ(pattern.next(), SizeClass::of(100)) << "asked again before the call";
  }
}

// Where ranks tell each other the first call's size in it, calls are taken to have that until more
// was told.
TEST(SizePattern, BeginsWithTheFirst) {
  SizePattern pattern;
  pattern.begin_with(SizeClass::of(5000));
  while (!pattern.is_told()) {
    EXPECT_EQ(pattern.next(), SizeClass::of(5000));
    pattern.count(SizeClass::of(100));
  }
  const auto mine = pattern.tell();
  for (; !pattern.is_heard(); pattern.count(SizeClass::of(100)))
    EXPECT_EQ(pattern.next(), SizeClass::of(5000));
  pattern.hear(mine);
  EXPECT_EQ(pattern.next(), SizeClass::of(100));
}

// Seldom, as long as the pattern holds.
TEST(SizePattern, IsToldSeldom) {
  Ranks ranks([](int call, int) { return call % 2 == 0 ? 64 : 70'000; });
  for (int i = 0; i < 20'000; ++i) ranks.call();
  EXPECT_LE(ranks.tellings, 90);
  EXPECT_GE(ranks.tellings, 70);
}

}  // namespace
}  // namespace tutti
