#include "core/network/contention.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tutti::inline core {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double leaves(const OnlineCandidate& candidate, std::size_t rank) {
  return candidate.leaves.empty() ? 1 : std::min(1.0, candidate.leaves[rank]);
}

// By how much of its time alone a group is slower for each other one at a host; 0 where none was
// measured.
double slowdown(const OnlineCandidate& candidate) {
  if (candidate.sharing < 2 || candidate.alone <= 0) return 0;
  return std::max(0.0, (candidate.beside / candidate.alone - 1) / (candidate.sharing - 1));
}

}  // namespace

int Contention::add(OnlineCandidate candidate) {
  const std::size_t ranks = candidate.hosts.size();
  active_.push_back(static_cast<int>(states_.size()));
  states_.push_back({.what = std::move(candidate), .left = std::vector<bool>(ranks), .remaining = ranks});
  return active_.back();
}

// What is there to slow a group down, at one moment.
struct Contention::Crowd {
  struct AtHost {
    int groups = 0;
    double slowdown = 0;  // the largest
  };
  std::map<int, AtHost> at_host;
  std::map<int, int> of_stage;  // groups that run

  explicit Crowd(const std::vector<const State*>& running) {
    for (const State* state : running) {
      ++of_stage[state->what.stage];
      std::set<int> hosts;
      for (std::size_t rank = 0; rank < state->left.size(); ++rank)
        if (!state->left[rank]) hosts.insert(state->what.hosts[rank]);
      for (const int host : hosts) {
        AtHost& there = at_host[host];
        ++there.groups;
        there.slowdown = std::max(there.slowdown, tutti::slowdown(state->what));
      }
    }
  }

  // Seconds that the operation would take if all stayed as it is.
  double seconds(const State& state) const {
    const OnlineCandidate& what = state.what;
    const double base =
        what.sharing < 2 && what.groups > 1
            ? what.alone + (what.beside - what.alone) * (of_stage.at(what.stage) - 1) / (what.groups - 1)
            : what.alone;
    const double own = tutti::slowdown(what);
    double factor = 1;
    for (std::size_t rank = 0; rank < state.left.size(); ++rank) {
      if (state.left[rank]) continue;
      const AtHost& there = at_host.at(what.hosts[rank]);
      const double of_others = there.slowdown * (what.one_way ? 1 : 0.5);
      factor = std::max(factor, 1 + (own > 0 ? own : of_others) * (there.groups - 1));
    }
    return base * factor;
  }
};

std::vector<Contention::Departure> Contention::advance() {
  std::vector<Departure> departures;
  while (departures.empty() && !active_.empty()) {
    std::vector<const State*> running;
    double next = never;
    for (const int number : active_) {
      const State& state = states_[static_cast<std::size_t>(number)];
      if (state.what.start <= now_)
        running.push_back(&state);
      else
        next = std::min(next, state.what.start);
    }
    const Crowd crowd(running);
    // Until a group begins, or a rank is done.
    std::map<const State*, double> seconds;
    for (const State* state : running) {
      seconds[state] = crowd.seconds(*state);
      for (std::size_t rank = 0; rank < state->left.size(); ++rank)
        if (!state->left[rank])
          next =
              std::min(next, now_ + std::max(0.0, leaves(state->what, rank) - state->done) * seconds[state]);
    }
    for (const int number : active_) {
      State& state = states_[static_cast<std::size_t>(number)];
      if (state.what.start > now_) continue;
      const double takes = seconds[&state];
      for (std::size_t rank = 0; rank < state.left.size(); ++rank) {
        // What is left is done at the next moment: by the same sum as above, so that it is equal.
        if (state.left[rank] || now_ + std::max(0.0, leaves(state.what, rank) - state.done) * takes > next)
          continue;
        state.left[rank] = true;
        --state.remaining;
        departures.push_back({number, static_cast<int>(rank), next});
      }
      state.done = takes > 0 ? state.done + (next - now_) / takes : 1;
    }
    std::erase_if(active_,
                  [&](int number) { return states_[static_cast<std::size_t>(number)].remaining == 0; });
    now_ = next;
  }
  return departures;
}

}  // namespace tutti::inline core
