// How two ranks share the work of copying a message, in a small model: every interleaving of what
// they do is walked through.

#include "run/transport/loan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tutti::run {
namespace {

constexpr std::uint32_t most = 4;  // chunks

/// An atomic number, of which a state of the model has a copy.
struct ModelNumber {
  std::uint64_t value = 0;
  std::uint64_t load(std::memory_order) const { return value; }
  std::uint64_t fetch_add(std::uint64_t more, std::memory_order) {
    return std::exchange(value, value + more);
  }
  std::uint64_t fetch_or(std::uint64_t bits, std::memory_order) { return std::exchange(value, value | bits); }
  friend bool operator==(const ModelNumber&, const ModelNumber&) = default;
};

enum class Copied : std::uint8_t { no, by_borrower, by_lender, not_written };

struct State {
  ModelNumber claimed_number, written_number, unwritten_number;
  Loan::Borrower borrower;
  std::uint32_t read_next = Loan::none, write_next = Loan::none;  // claimed, and not copied yet
  bool write_done = false;                                        // and not told of yet
  bool lender_stopped = false;
  std::array<Copied, most> copied{};
  std::uint64_t told = 0;

  ModelNumber& claimed() { return claimed_number; }
  ModelNumber& written() { return written_number; }
  ModelNumber& unwritten() { return unwritten_number; }
  friend bool operator==(const State&, const State&) = default;
};

void borrow(State& state) {
  if (state.read_next != Loan::none) {
    EXPECT_EQ(state.copied[state.read_next], Copied::no);
    state.copied[state.read_next] = Copied::by_borrower;
    state.read_next = Loan::none;
    return;
  }
  state.read_next = state.borrower.claim(state);
  if (state.read_next != Loan::none) return;
  const std::uint64_t fresh = state.borrower.written_by_lender(state);
  EXPECT_EQ(state.told & fresh, 0u) << "told of twice";
  state.told |= fresh;
  for (std::uint32_t chunk = 0; chunk < most; ++chunk)
    if (fresh >> chunk & 1) {
      EXPECT_THAT(state.copied[chunk], testing::AnyOf(Copied::by_lender, Copied::not_written));
      EXPECT_EQ(state.unwritten().value >> chunk & 1, state.copied[chunk] == Copied::not_written ? 1u : 0u);
    }
}

void lend(State& state, std::uint32_t chunks, bool writes) {
  if (state.write_done) {
    Loan::Lender::is_done_with_one(state);
    state.write_done = false;
  } else if (state.write_next != Loan::none) {
    EXPECT_EQ(state.copied[state.write_next], Copied::no);
    state.copied[state.write_next] = writes ? Copied::by_lender : Copied::not_written;
    if (!writes) Loan::Lender::cannot_write(state, state.write_next);
    state.write_next = Loan::none;
    state.write_done = true;
  } else {
    state.write_next = Loan::claim(state, chunks);
    state.lender_stopped = state.write_next == Loan::none;
  }
}

TEST(Loan, EveryChunkIsCopiedOnceOrKnownNotToBe) {
  for (std::uint32_t chunks = 1; chunks <= most; ++chunks) {
    std::vector<State> known{State{.borrower = Loan::Borrower(chunks)}}, open = known;
    int ends = 0;
    while (!open.empty() && !HasFailure()) {
      const State state = open.back();
      open.pop_back();
      const auto go_to = [&](const State& then) {
        if (std::find(known.begin(), known.end(), then) != known.end()) return;
        known.push_back(then);
        open.push_back(then);
      };
      if (state.borrower.is_over() && state.read_next == Loan::none) {
        ++ends;
        EXPECT_EQ(std::count(state.copied.begin(), state.copied.begin() + chunks, Copied::no), 0);
      } else {
        State then = state;
        borrow(then);
        go_to(then);
      }
      if (state.lender_stopped) continue;
      for (const bool writes : {true, false}) {
        State then = state;
        lend(then, chunks, writes);
        go_to(then);
      }
    }
    EXPECT_GT(ends, 1 << chunks) << "each chunk by either of them";
  }
}

}  // namespace
}  // namespace tutti::run
