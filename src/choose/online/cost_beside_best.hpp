#pragma once

#include <algorithm>

#include "choose/online/race.hpp"

namespace tutti::inline choose {

/// What experiments of a race have cost beside the best arm that was known at the time, in seconds: what each
/// cost counts beside the leader of its time.
class CostBesideBest {
 public:
  explicit CostBesideBest(std::size_t leader) : leader_(leader) {}

  double seconds(const Race& race) const {
    return std::max(0.0, before_ + race.cost_beside(leader_) - leader_from_);
  }
  void follow(const Race& race, std::size_t leader) {
    if (leader == leader_) return;
    before_ += race.cost_beside(leader_) - leader_from_;
    leader_from_ = race.cost_beside(leader);
    leader_ = leader;
  }
  /// Counts from 0 again when the race begins anew.
  void begin_anew() { before_ = leader_from_ = 0; }

 private:
  std::size_t leader_;
  double before_ = 0;       // what experiments cost while others led
  double leader_from_ = 0;  // what it has cost beside this one before it led
};

}  // namespace tutti::inline choose
