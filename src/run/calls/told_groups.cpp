#include "run/calls/told_groups.hpp"

#include <utility>

#include "core/network/quantised.hpp"
#include "core/plan/phases.hpp"

namespace tutti::run {

std::shared_ptr<const ToldGroups> ToldGroups::of(Network told, int ranks) {
  GroupLevels levels = GroupLevels::of(told, ranks);
  if (!levels.tells_hosts_apart()) return nullptr;
  return std::make_shared<const ToldGroups>(ToldGroups{std::move(told), std::move(levels)});
}

std::shared_ptr<const ToldGroups> ToldGroups::of(const std::shared_ptr<const ToldGroups>& others,
                                                 const std::vector<Rank>& ranks) {
  if (!others || ranks == own_order(static_cast<int>(others->network.group_of.size()))) return others;
  return of(restricted(others->network, ranks), static_cast<int>(ranks.size()));
}

}  // namespace tutti::run
