// What computing schedules costs, step by step: table 3 of Gupta and Vadhiyar (2007), and larger
// networks.

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <vector>

#include "core/network/median.hpp"
#include "core/network/network_file.hpp"
#include "core/synthesis/known_network.hpp"
#include "core/synthesis/min3.hpp"
#include "core/synthesis/pools.hpp"
#include "core/synthesis/sample_networks.hpp"

namespace {

using namespace tutti;

// Microseconds, the middle of several runs.
double time_of(const std::function<void()>& action, int runs) {
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    action();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(std::move(times));
}

void report(const char* title, const std::vector<int>& hosts_of_site, int runs) {
  std::vector<int> site_of;
  for (std::size_t site = 0; site < hosts_of_site.size(); ++site)
    site_of.insert(site_of.end(), static_cast<std::size_t>(hosts_of_site[site]), static_cast<int>(site));
  const int ranks = static_cast<int>(site_of.size());
  const KnownNetwork known = KnownNetwork::of(network_of_sites(site_of), ranks);
  const Bandwidths bandwidths(known.network, ranks);
  std::vector<double> thresholds;
  const double finding = time_of([&] { thresholds = bandwidth_thresholds(bandwidths); }, runs);
  const double splitting = time_of([&] { pool_tree(bandwidths, thresholds); }, runs);
  std::size_t transfers = 0;
  const double scheduling =
      time_of([&] { transfers = min3_allgather(known.network, known.pools, 65536, false).size(); }, runs);
  const Shape shape{.collective = Collective::allgather, .ranks = ranks, .root = 0, .blocks = ranks};
  const double pools =
      time_of([&] { across_sites(shape, known.network, known.sites, 65536); }, ranks > 100 ? 1 : runs);
  fmt::print("{:<28}{:>14.1f}{:>12.1f}{:>14.1f}{:>12}{:>14.1f}\n", title, finding, splitting, scheduling,
             transfers, pools);
}

}  // namespace

int main() {
  fmt::print("{:<28}{:>14}{:>12}{:>14}{:>12}{:>14}\n", "microseconds", "thresholds", "pools", "min3",
             "transfers", "pools plan");
  report("three sites, 8 + 4 + 8 hosts", {8, 4, 8}, 101);
  report("two sites, 4 + 8", {4, 8}, 101);
  report("one site, 8", {8}, 101);
  report("five sites, 5 x 20", {20, 20, 20, 20, 20}, 11);
  report("five sites, 5 x 200", {200, 200, 200, 200, 200}, 1);
}
