// Messages through memory, from one thread to another: of any length, put or combined, lent or in
// pieces, and lent where nothing can be read.

#include "run/transport/board.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace tutti::run {
namespace {

constexpr std::size_t cell_bytes = 1024;
constexpr std::size_t never = ~std::size_t{0};
constexpr pid_t nobody = 0x3fffffff;  // beyond the numbers of processes

struct Channel {
  explicit Channel(std::size_t lends_from = never, pid_t writer = getpid(), pid_t reader = getpid())
      : outlet(memory, reader, lends_from), inlet(memory, writer) {}

  alignas(128) char labels[ChannelMemory::bytes] = {};
  std::vector<char> cells = std::vector<char>(ChannelMemory::slots * cell_bytes);
  ChannelMemory memory{labels, labels, cells.data(), cell_bytes};
  Outlet outlet;
  Inlet inlet;
};

std::vector<long> numbers(std::size_t count, long first) {
  std::vector<long> list(count);
  std::iota(list.begin(), list.end(), first);
  return list;
}

// Returns whether the message was lent.
bool send(Channel& channel, const std::vector<long>& numbers) {
  Outgoing message{.from = reinterpret_cast<const char*>(numbers.data()),
                   .bytes = numbers.size() * sizeof(long),
                   .unit = sizeof(long),
                   .has_time = numbers.size() % 2 == 0};
  while (!channel.outlet.advance(message)) std::this_thread::yield();
  return message.lent != Outgoing::Lent::no;
}

// The numbers, or what they make together with others.
std::vector<long> receive(Channel& channel, std::vector<long> into, MPI_Op op) {
  std::vector<long> room(into.size());
  Incoming message{.sink = {.into = reinterpret_cast<char*>(into.data()),
                            .op = op,
                            .type = MPI_LONG,
                            .element = sizeof(long),
                            .room = reinterpret_cast<char*>(room.data())},
                   .bytes = into.size() * sizeof(long)};
  for (bool done = false; !done;) {
    EXPECT_EQ(channel.inlet.advance(message, done), MPI_SUCCESS);
    if (!done) std::this_thread::yield();
  }
  return into;
}

// Many messages of drawn lengths, after more than all slots of which numbers have wrapped round the
// ring. Those of `lent_from` bytes and more are to be lent.
void expect_all_arrive(Channel& channel, std::size_t lent_from = never) {
  constexpr int messages = 300;
  std::mt19937 draw(7);
  std::vector<std::size_t> counts;
  for (int i = 0; i < messages; ++i)
    counts.push_back(1 +
                     static_cast<std::size_t>(std::exp2(std::uniform_real_distribution(0.0, 17.0)(draw))));
  std::thread writer([&] {
    for (std::size_t i = 0; i < counts.size(); ++i)
      EXPECT_EQ(send(channel, numbers(counts[i], static_cast<long>(i))),
                counts[i] * sizeof(long) >= lent_from);
  });
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto sent = numbers(counts[i], static_cast<long>(i));
    if (i % 2 == 0) {
      EXPECT_EQ(receive(channel, std::vector<long>(counts[i]), MPI_OP_NULL), sent);
      continue;
    }
    auto sums = numbers(counts[i], 1000);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += sent[k];
    EXPECT_EQ(receive(channel, numbers(counts[i], 1000), MPI_SUM), sums);
  }
  writer.join();
}

TEST(Channel, CarriesMessagesInPieces) {
  Channel channel;
  expect_all_arrive(channel);
}

TEST(Channel, LendsLongMessages) {
  Channel channel(2048);
  expect_all_arrive(channel, 2048);
}

// Memory is neither read by its reader nor written by its writer; or by one of them only.
TEST(Channel, SendsInPiecesWhatCanNotBeLent) {
  for (const pid_t writer : {nobody, getpid()})
    for (const pid_t reader : {nobody, getpid()}) {
      Channel channel(2048, writer, reader);
      expect_all_arrive(channel, 2048);
    }
}

// What is sent and received in one place is combined no further than it has been sent.
TEST(Channel, KeepsBehindWhatIsSent) {
  for (const std::size_t lends_from : {never, std::size_t{2048}}) {
    Channel there(never), back(lends_from);
    auto own = numbers(5000, 0), other = numbers(5000, 7), sums = own;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += other[k];
    std::vector<long> got, room(own.size());
    std::thread partner([&] {
      std::thread sender([&] { send(back, other); });
      got = receive(there, std::vector<long>(own.size()), MPI_OP_NULL);
      sender.join();
    });
    const std::size_t bytes = own.size() * sizeof(long);
    Outgoing out{.from = reinterpret_cast<char*>(own.data()), .bytes = bytes, .unit = sizeof(long)};
    Incoming in{.sink = {.into = reinterpret_cast<char*>(own.data()),
                         .op = MPI_SUM,
                         .type = MPI_LONG,
                         .element = sizeof(long),
                         .room = reinterpret_cast<char*>(room.data())},
                .bytes = bytes,
                .behind = &out};
    bool arrived = false, left = false;
    while (!arrived || !left) {
      if (!arrived) {
        EXPECT_EQ(back.inlet.advance(in, arrived), MPI_SUCCESS);
      }
      if (!left) left = there.outlet.advance(out);
    }
    partner.join();
    EXPECT_EQ(got, numbers(5000, 0));
    EXPECT_EQ(own, sums);
  }
}

// What goes to two readers is written once, and not over before both have it.
TEST(Board, KeepsWhatIsStillToBeRead) {
  struct Segment {
    alignas(128) char labels[2][ChannelMemory::bytes] = {};
    alignas(128) char cells[2][ChannelMemory::slots * cell_bytes];
    alignas(128) char board[Board::places * cell_bytes];
  };
  const auto segment = std::make_unique<Segment>();
  char* const begin = segment->labels[0];
  std::vector<Outlet> outlets;
  std::vector<Inlet> inlets;
  for (const std::size_t reader : {0U, 1U}) {
    const ChannelMemory memory{begin, segment->labels[reader], segment->cells[reader], cell_bytes};
    outlets.emplace_back(memory, getpid(), never);
    inlets.emplace_back(memory, getpid());
  }
  Board board(segment->board, cell_bytes, 2);
  const auto post = [&](long first) {
    const auto sent = numbers(100, first);
    char* const place = board.place(2, outlets);
    if (!place) return false;
    std::memcpy(place, sent.data(), sent.size() * sizeof(long));
    for (const std::size_t reader : {0U, 1U}) {
      Outgoing message{.bytes = sent.size() * sizeof(long), .posted = place};
      EXPECT_TRUE(outlets[reader].advance(message));
      board.told(place, static_cast<int>(reader), outlets[reader]);
    }
    return true;
  };
  const auto expect = [&](std::size_t reader, long first) {
    std::vector<long> into(100);
    Incoming message{.sink = {.into = reinterpret_cast<char*>(into.data())},
                     .bytes = into.size() * sizeof(long)};
    bool done = false;
    EXPECT_EQ(inlets[reader].advance(message, done), MPI_SUCCESS);
    EXPECT_TRUE(done);
    EXPECT_EQ(into, numbers(100, first));
  };
  long posted = 0, read[2] = {0, 0};
  for (int round = 0; round < 100; ++round) {
    while (posted < read[0] + static_cast<long>(Board::places)) EXPECT_TRUE(post(posted++));
    EXPECT_FALSE(post(posted)) << "there are no more places";
    expect(1, read[1]++);
    EXPECT_FALSE(post(posted)) << "one has not read it yet";
    expect(0, read[0]++);
  }
}

// A shorter message than there is room for ends like one of MPI_Recv, and the next one arrives
// whole.
TEST(Channel, EndsWithAMessageThatIsShorter) {
  for (const std::size_t lends_from : {never, std::size_t{2048}})
    for (const std::size_t count : {std::size_t{3}, std::size_t{100}, std::size_t{3000}}) {
      Channel channel(lends_from);
      std::thread writer([&] {
        send(channel, numbers(count, 1));
        send(channel, numbers(count, 2));
      });
      auto expected = numbers(count, 1);
      expected.resize(2 * count);
      EXPECT_EQ(receive(channel, std::vector<long>(2 * count), MPI_OP_NULL), expected);
      EXPECT_EQ(receive(channel, std::vector<long>(count), MPI_OP_NULL), numbers(count, 2));
      writer.join();
    }
}

// A longer message than there is room for is an error and no overrun; its sender ends, and the next
// one arrives whole.
TEST(Channel, FindsAMessageThatIsTooLong) {
  for (const std::size_t lends_from : {never, std::size_t{2048}})
    for (const std::size_t count : {std::size_t{9}, std::size_t{512}, std::size_t{20000}}) {
      Channel channel(lends_from);
      std::thread writer([&] {
        send(channel, numbers(count, 0));
        send(channel, numbers(8, 1));
      });
      std::vector<long> into(8);
      Incoming message{.sink = {.into = reinterpret_cast<char*>(into.data())},
                       .bytes = into.size() * sizeof(long)};
      int error = MPI_SUCCESS;
      for (bool done = false; !done && error == MPI_SUCCESS;) error = channel.inlet.advance(message, done);
      EXPECT_EQ(error, MPI_ERR_TRUNCATE);
      EXPECT_EQ(receive(channel, std::vector<long>(8), MPI_OP_NULL), numbers(8, 1));
      writer.join();
    }
}

}  // namespace
}  // namespace tutti::run
