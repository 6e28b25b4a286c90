#pragma once

#include <array>
#include <cstddef>
#include <map>

#include "core/plan/plan.hpp"

namespace tutti::inline choose {

/// How far plans' messages go, on the average of some ranks, which stand for all. Each plan is
/// looked at once, and stands for itself on near ranks, too.
class Reach {
 public:
  /// `bytes` is the whole vector. `places` are groups or hosts, by rank; null: nothing leaves them.
  /// The setting has to stay as long.
  Reach(const Setting& setting, std::size_t bytes, const Hosts* places);

  /// Whether a plan needs few connections between hosts beside those that the algorithms with
  /// logarithmically many rounds share: to ranks a power of two away. A connection lasts as long as
  /// the program, and libraries that look at all of them whenever they wait get slower with each. A
  /// plan on near ranks counts as the one that it carries out: its ranks are a power of two away in
  /// that order, and all such plans share their connections.
  bool stays_near(const Plan& plan);
  /// What a rank exchanges with other places than its own, in vectors.
  double share_that_leaves(const Plan& plan);

 private:
  struct Seen {
    bool stays_near = false;
    std::array<double, 2> leaves{};  // as ranks are, and on near ones
  };
  const Seen& look_at(const Plan& plan);

  const Setting& setting_;
  std::size_t bytes_;
  std::array<Hosts, 2> places_;  // by rank, and by place in the near order; empty: not asked for
  std::map<int, Seen> seen_;     // by the plan's id
};

}  // namespace tutti::inline choose
