#include "core/network/group_levels.hpp"

#include "core/network/groups.hpp"

namespace tutti::inline core {

GroupLevels GroupLevels::of(const Network& network, int ranks) {
  return {in_order_of_groups(network, ranks), outermost_groups(network, ranks),
          innermost_groups_of_hosts(network, ranks), groups_in_hosts(network, ranks),
          levels_of_groups(network, ranks)};
}

std::vector<const Hosts*> GroupLevels::of_hosts() const {
  std::vector<const Hosts*> levels;
  for (const Hosts* level : {&switches, &groups})
    if (!level->empty() && (levels.empty() || *levels.front() != *level)) levels.push_back(level);
  return levels;
}

}  // namespace tutti::inline core
