// Levels of groups by latencies that are given.

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "choose/probing/latencies_of_hosts.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/latency_pools.hpp"
#include "core/schedule/by_place.hpp"

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

// Hosts with a rank each, sixteen at a switch and 128 in a row, whose times scatter.
class ManyHosts final : public Prober {
 public:
  explicit ManyHosts(int hosts) {
    site_.ranks = hosts;
    for (int host = 0; host < hosts; ++host) site_.hosts.push_back(host);
  }
  const Site& site() const override { return site_; }
  Result<std::vector<double>> run(Experiment, const std::vector<std::vector<Rank>>& pairs, std::size_t,
                                  int) override {
    std::vector<double> seconds;
    for (const auto& pair : pairs) {
      const double latency = pair[0] / 16 == pair[1] / 16     ? 1e-6
                             : pair[0] / 128 == pair[1] / 128 ? 2e-6
                                                              : 4e-6;
      seconds.push_back(2 * latency * std::uniform_real_distribution(0.95, 1.05)(random_));
    }
    return seconds;
  }
  Result<std::vector<tutti::Combination>> combine() override { return std::vector<tutti::Combination>(); }

 private:
  Site site_;
  std::mt19937 random_{1};
};

// Programs look at a thousand hosts at most, of which few pairs meet.
TEST(LatencyPools, TellSwitchesAndRowsOfAThousandHosts) {
  ManyHosts prober(1024);
  const RanksOfHosts hosts = ranks_by_host(prober.site().hosts, prober.site().ranks);
  const Pool root = latency_pools(measure_latencies(hosts, prober, {.clock = [] { return 0.0; }}, 1));
  EXPECT_EQ(sizes(root), std::vector<std::size_t>(8, 128));
  for (const Pool& row : root.pools) EXPECT_EQ(sizes(row), std::vector<std::size_t>(8, 16));
}

}  // namespace
}  // namespace tutti
