#include "core/network/group_levels.hpp"

#include <algorithm>

#include "core/network/groups.hpp"

namespace tutti::inline core {
namespace {

// Ranks of one host stay as they are.
void sort_by_places(const Torus& torus, const Network& network, std::vector<Rank>& order) {
  std::ranges::stable_sort(order, [&](Rank a, Rank b) {
    const auto& one = torus.coordinates[static_cast<std::size_t>(network.host(a))];
    const auto& other = torus.coordinates[static_cast<std::size_t>(network.host(b))];
    return std::lexicographical_compare(one.rbegin(), one.rend(), other.rbegin(), other.rend());
  });
}

std::vector<int> filled_sides(const Torus& torus, const Network& network, int ranks) {
  std::vector<std::size_t> ranks_of(torus.coordinates.size());
  for (Rank rank = 0; rank < ranks; ++rank) ++ranks_of[static_cast<std::size_t>(network.host(rank))];
  const std::size_t each = ranks_of.front();
  const bool all_alike = std::ranges::all_of(ranks_of, [&](std::size_t here) { return here == each; });
  if (!all_alike || torus.places() != ranks_of.size()) return {};
  std::vector<int> sides(torus.sides.rbegin(), torus.sides.rend());
  if (each > 1) sides.push_back(static_cast<int>(each));
  return sides;
}

}  // namespace

GroupLevels GroupLevels::of(const Network& network, int ranks) {
  GroupLevels levels{in_order_of_groups(network, ranks),        outermost_groups(network, ranks),
                     innermost_groups_of_hosts(network, ranks), groups_in_hosts(network, ranks),
                     levels_of_groups(network, ranks),          {}};
  if (network.torus && !levels.tells_hosts_apart()) {
    sort_by_places(*network.torus, network, levels.order);
    levels.sides = filled_sides(*network.torus, network, ranks);
  }
  return levels;
}

std::vector<const Hosts*> GroupLevels::of_hosts() const {
  std::vector<const Hosts*> levels;
  for (const Hosts* level : {&switches, &groups})
    if (!level->empty() && (levels.empty() || *levels.front() != *level)) levels.push_back(level);
  return levels;
}

}  // namespace tutti::inline core
