#include "core/network/time_limits.hpp"

#include "core/network/price.hpp"

namespace tutti::inline core {

TimeLimits limits_of(Collective collective, std::size_t size, const Network& network, int ranks,
                     const Sites& sites) {
  Network with_memory = network;  // a link like any other, as far as limits go
  if (network.memory) with_memory.links.push_back(*network.memory);
  return {limit_of(with_memory)({collective, ranks, size}).seconds,
          lower_bound(collective, size, network, sites),
          lower_bound_of_groups(collective, size, network, ranks)};
}

}  // namespace tutti::inline core
