// Levels of groups by latencies that are given.

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "core/network/latency_pools.hpp"

namespace tutti {
namespace {

Latencies all_pairs(int hosts, const std::function<double(int, int)>& latency) {
  Latencies latencies(hosts);
  for (int a = 0; a < hosts; ++a)
    for (int b = a + 1; b < hosts; ++b) latencies.set(a, b, latency(a, b));
  return latencies;
}

std::vector<std::size_t> sizes(const Pool& pool) {
  std::vector<std::size_t> sizes;
  for (const Pool& inner : pool.pools) sizes.push_back(inner.ranks.size());
  return sizes;
}

// Seven groups of eight hosts in pairs, and a last one of which there are two hosts: these are
// nearer to the group before than other groups are to each other.
TEST(LatencyPools, MakeNoLevelOfOneGroupThatIsNearerToAnother) {
  const Pool root = latency_pools(all_pairs(58, [](int a, int b) {
    if (a / 2 == b / 2) return 1.0;
    if (a / 8 == b / 8) return 2.0;
    return a / 8 >= 6 && b / 8 >= 6 ? 3.0 : 5.0;
  }));
  EXPECT_EQ(sizes(root), (std::vector<std::size_t>{8, 8, 8, 8, 8, 8, 8, 2}));
  EXPECT_EQ(sizes(root.pools.front()), (std::vector<std::size_t>{2, 2, 2, 2}));
  EXPECT_TRUE(root.pools.back().pools.empty());
}

// The larger of two far sites has no parts, the other has two.
TEST(LatencyPools, MakeALevelOfWhatIsFarWhateverJoins) {
  const Pool root = latency_pools(all_pairs(20, [](int a, int b) {
    const auto part = [](int host) { return host < 12 ? 0 : host < 16 ? 1 : 2; };
    if (part(a) == part(b)) return 1.0;
    return a >= 12 && b >= 12 ? 2.0 : 1000.0;
  }));
  EXPECT_EQ(sizes(root), (std::vector<std::size_t>{12, 8}));
  EXPECT_EQ(sizes(root.pools.back()), (std::vector<std::size_t>{4, 4}));
}

// Two sites of two racks each, and one of one rack.
TEST(LatencyPools, MakeALevelOfSitesOfWhichOneHasNoParts) {
  const Pool root = latency_pools(all_pairs(20, [](int a, int b) {
    if (a / 4 == b / 4) return 1.0;
    return a / 8 == b / 8 ? 2.0 : 9.0;
  }));
  EXPECT_EQ(sizes(root), (std::vector<std::size_t>{8, 8, 4}));
  EXPECT_EQ(sizes(root.pools.front()), (std::vector<std::size_t>{4, 4}));
}

}  // namespace
}  // namespace tutti
