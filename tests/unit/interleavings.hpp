#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace tutti {

/// A state all of whose bytes are zero: no padding tells such states apart.
template <typename State>
State blank() {
  State state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  return state;
}

/// Walks through every interleaving of what `ranks` ranks do, from a state that began as a blank
/// one, as far as new states are reached. `take_step(state, rank)` takes a rank's next step, which
/// touches what others see once, and says whether the rank could take it. In each state some rank
/// has to be able to go on. Returns how many states there are.
template <typename State, typename TakeStep>
std::size_t walk_through(const State& first, int ranks, TakeStep take_step) {
  const auto key = [](const State& state) {
    std::string text(sizeof state, '\0');
    std::memcpy(text.data(), &state, sizeof state);
    return text;
  };
  std::set<std::string> known{key(first)};
  std::vector<State> open{first};
  while (!open.empty() && !testing::Test::HasFailure()) {
    const State state = open.back();
    open.pop_back();
    bool stuck = true;
    for (int rank = 0; rank < ranks; ++rank) {
      State then = state;
      if (take_step(then, rank)) stuck = false;
      if (known.insert(key(then)).second) open.push_back(then);
    }
    EXPECT_FALSE(stuck) << "nobody can go on";
  }
  return known.size();
}

}  // namespace tutti
