#include "core/network/parts_apart.hpp"

#include <vector>

#include "core/network/groups.hpp"

namespace tutti::inline core {

std::pair<int, int> parts_apart(const Network& network, Rank from, Rank to) {
  const std::vector<int> left = groups_around(network, from), entered = groups_around(network, to);
  const std::size_t common = count_common_groups(left, entered);
  const auto part = [&](const std::vector<int>& around, Rank rank) {
    return common == around.size() ? host_as_part(network, rank) : around[around.size() - 1 - common];
  };
  return {part(left, from), part(entered, to)};
}

std::map<std::pair<int, int>, double> shared_trunks(const Network& network) {
  std::map<std::pair<int, int>, double> trunks;
  for (const Trunk& trunk : network.trunks)
    if (trunk.seconds_per_byte > 0)
      trunks[parts_apart(network, trunk.from, trunk.to)] = trunk.seconds_per_byte;
  return trunks;
}

}  // namespace tutti::inline core
