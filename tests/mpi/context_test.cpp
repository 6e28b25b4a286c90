// What keeps the messages of communicators apart. Every rank runs all tests, in the same order.

#include "run/calls/context.hpp"

#include <gtest/gtest.h>

#include <set>

#include "run/calls/reservation.hpp"
#include "run/mpi/ranks.hpp"
#include "run/mpi/tags.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
namespace {

OwnComm split(MPI_Comm comm, int color, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_split(comm, color, key, &made);
  return OwnComm(made);
}

std::unique_ptr<Context> take(MPI_Comm comm) {
  return Contexts::instance().take(comm, Wanted::now);
}

// All ranks of a context send to all others and hear who sent.
void expect_to_reach_all(const Context& context, MPI_Comm users) {
  const int me = rank_in(users), ranks = ranks_of(users);
  for (Rank other = 0; other < ranks; ++other) {
    if (other == me) continue;
    int heard = -1;
    ASSERT_EQ(
        PMPI_Sendrecv(&me, 1, MPI_INT, context.number_of(other), context.first_tag(), &heard, 1, MPI_INT,
                      context.number_of(other), context.first_tag(), context.comm(), MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    EXPECT_EQ(heard, other);
  }
}

TEST(Context, ReachesEveryRankByItsNumber) {
  const int me = rank_in(MPI_COMM_WORLD);
  const OwnComm reversed = split(MPI_COMM_WORLD, 0, -me), half = split(MPI_COMM_WORLD, me % 2, -me);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, reversed.get(), half.get()}) {
    const auto context = take(comm);
    ASSERT_TRUE(context);
    expect_to_reach_all(*context, comm);
  }
}

TEST(Context, HasTagsThatNoOtherHas) {
  std::vector<std::unique_ptr<Context>> contexts;
  std::set<int> first_tags;
  for (int i = 0; i < 100; ++i) {
    contexts.push_back(take(MPI_COMM_WORLD));
    const Context& context = *contexts.back();
    EXPECT_EQ(context.comm(), contexts.front()->comm()) << "one communicator serves them";
    const Tags last = context.tags_of_call(context.calls());
    EXPECT_GE(context.calls(), 15);
    EXPECT_LE(std::int64_t{last.first} + last.count - 1, highest_tag());
    for (const int tag : {context.first_tag(), last.first}) EXPECT_TRUE(first_tags.insert(tag).second) << tag;
  }
  // In the order of their tags every context ends before the next begins.
  std::sort(contexts.begin(), contexts.end(),
            [](const auto& a, const auto& b) { return a->first_tag() < b->first_tag(); });
  for (std::size_t i = 1; i < contexts.size(); ++i) {
    const Tags last = contexts[i - 1]->tags_of_call(contexts[i - 1]->calls());
    EXPECT_LE(last.first + last.count, contexts[i]->first_tag());
  }
}

// Contexts that share two ranks never have the same tags, whoever has given one back.
TEST(Context, SharesNoTagsWithAnotherOfTheSameRanks) {
  const int me = rank_in(MPI_COMM_WORLD);
  const OwnComm half = split(MPI_COMM_WORLD, me % 2, me);
  const auto world = take(MPI_COMM_WORLD);
  std::vector<std::unique_ptr<Context>> kept;
  for (int i = 0; i < 20; ++i) {
    auto context = take(half.get());
    EXPECT_NE(context->first_tag(), world->first_tag());
    for (const auto& other : kept) EXPECT_NE(context->first_tag(), other->first_tag());
    // The halves keep different ones, so that what is free differs between ranks.
    if ((i + me) % 2 == 0) kept.push_back(std::move(context));
    const auto after = take(MPI_COMM_WORLD);
    for (const auto& other : kept) EXPECT_NE(after->first_tag(), other->first_tag());
  }
}

TEST(Context, GivesItsTagsBackUnlessItIsSpoilt) {
  auto context = take(MPI_COMM_WORLD);
  const int tag = context->first_tag();
  context.reset();
  context = take(MPI_COMM_WORLD);
  EXPECT_EQ(context->first_tag(), tag);
  context->spoil();
  context.reset();
  context = take(MPI_COMM_WORLD);
  EXPECT_NE(context->first_tag(), tag);
}

// What was reserved is nobody else's, on the ranks of what is made or on others, until it goes.
TEST(Context, HasANumberThatWasReserved) {
  const int me = rank_in(MPI_COMM_WORLD);
  const int free = take(MPI_COMM_WORLD)->first_tag();
  {
    auto reserved = Contexts::instance().reserve(MPI_COMM_WORLD, 3);
    ASSERT_EQ(reserved.size(), 3u);
    const OwnComm half = split(MPI_COMM_WORLD, me % 2, -me);
    const auto first = Contexts::instance().with(std::move(reserved.back()), half.get());
    expect_to_reach_all(*first, half.get());
    EXPECT_EQ(first->comm(), take(MPI_COMM_WORLD)->comm());
    reserved.pop_back();
    const auto second = Contexts::instance().with(std::move(reserved.back()), MPI_COMM_WORLD);
    reserved.pop_back();
    const auto other = take(MPI_COMM_WORLD);
    const std::set<int> tags{first->first_tag(), second->first_tag(), other->first_tag()};
    EXPECT_EQ(tags.size(), 3u);
    EXPECT_GT(other->first_tag(), free) << "the one that nobody has used is reserved still";
  }
  EXPECT_EQ(take(MPI_COMM_WORLD)->first_tag(), free);
}

// What ranks reserve while they wait for nobody is promised before it is known, and nobody else's
// meanwhile; what only some of them held is free again.
TEST(Context, HasANumberThatWasPromised) {
  begin_driving();
  const bool is_odd = rank_in(MPI_COMM_WORLD) % 2 != 0;
  const OwnComm half = split(MPI_COMM_WORLD, is_odd, 0);
  const int free = take(MPI_COMM_WORLD)->first_tag();
  {
    // What is free differs between ranks.
    const auto one = is_odd ? take(half.get()) : nullptr, another = is_odd ? take(half.get()) : nullptr;
    const auto reservation = std::make_shared<Reservation>(MPI_COMM_WORLD, 3);
    PromisedNumber first(reservation), second(reservation), third(reservation);
    EXPECT_FALSE(reservation->has_place());
    const auto other = take(MPI_COMM_WORLD);
    ASSERT_TRUE(other);
    std::set<int> tags{other->first_tag()};
    std::vector<std::unique_ptr<Context>> promised;
    for (PromisedNumber* of : {&third, &first, &second}) {
      const InWait waiting;
      while (!of->is_known()) progress();
      auto number = of->take();
      ASSERT_TRUE(number);
      promised.push_back(Contexts::instance().with(std::move(*number), MPI_COMM_WORLD));
      expect_to_reach_all(*promised.back(), MPI_COMM_WORLD);
      EXPECT_TRUE(tags.insert(promised.back()->first_tag()).second);
      for (const Context* held : {one.get(), another.get()})
        EXPECT_FALSE(held && held->first_tag() == promised.back()->first_tag());
    }
  }
  EXPECT_EQ(take(MPI_COMM_WORLD)->first_tag(), free);
}

// Places that are promised stay empty on all ranks where one of them has no number left.
TEST(Context, IsNotHadWhereNoNumberIsLeft) {
  begin_driving();
  std::vector<ContextNumber> all;
  if (rank_in(MPI_COMM_WORLD) == 0) all = Contexts::instance().hold(calls::most_contexts);
  const auto reservation = std::make_shared<Reservation>(MPI_COMM_WORLD, 1);
  EXPECT_FALSE(PromisedNumber(reservation).take());
  all.clear();
  const auto again = std::make_shared<Reservation>(MPI_COMM_WORLD, 1);
  EXPECT_TRUE(PromisedNumber(again).take());
}

// Communicators that may never need one get none where half of the numbers are taken.
TEST(Context, IsLeftToThoseWhoNeedItAtLast) {
  std::vector<ContextNumber> all;
  for (std::size_t before = 1; all.size() != before;) {
    before = all.size();
    for (ContextNumber& number : Contexts::instance().reserve(MPI_COMM_WORLD, calls::most_contexts))
      all.push_back(std::move(number));
  }
  EXPECT_FALSE(Contexts::instance().take(MPI_COMM_WORLD, Wanted::by_few) != nullptr);
  all.clear();
  EXPECT_TRUE(Contexts::instance().take(MPI_COMM_WORLD, Wanted::by_few) != nullptr);
}

// A context has a communicator of its own where no number is left.
TEST(Context, HasACommunicatorOfItsOwnAtLast) {
  if (ranks_of(MPI_COMM_WORLD) > 2) GTEST_SKIP() << "two ranks show it, and more take longer";
  std::vector<std::unique_ptr<Context>> contexts;
  const MPI_Comm shared = take(MPI_COMM_WORLD)->comm();
  while (contexts.empty() || contexts.back()->comm() == shared) contexts.push_back(take(MPI_COMM_WORLD));
  EXPECT_GT(contexts.size(), 100u);
  EXPECT_FALSE(contexts.back()->is_in_order());
  expect_to_reach_all(*contexts.back(), MPI_COMM_WORLD);
}

}  // namespace
}  // namespace tutti::run
