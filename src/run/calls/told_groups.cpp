#include "run/calls/told_groups.hpp"

#include "core/network/quantised.hpp"
#include "core/plan/phases.hpp"

namespace tutti::run {

std::shared_ptr<const ToldGroups> ToldGroups::of(const std::shared_ptr<const ToldGroups>& others,
                                                 const std::vector<Rank>& ranks) {
  if (!others || ranks == own_order(static_cast<int>(others->network_.group_of.size()))) return others;
  return std::make_shared<const ToldGroups>(restricted(others->network_, ranks));
}

const GroupLevels* ToldGroups::levels() const {
  const std::lock_guard lock(mutex_);
  if (!levels_) levels_ = GroupLevels::of(network_, static_cast<int>(network_.group_of.size()));
  return levels_->tells_hosts_apart() ? &*levels_ : nullptr;
}

}  // namespace tutti::run
