#include <fmt/format.h>

#include <algorithm>

#include "choose/probing/constants.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/groups_at.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline choose {
namespace {

// Hosts of both sites, equally many.
std::vector<Rank> some_of_both(const std::vector<Rank>& a, const std::vector<Rank>& b, std::size_t each) {
  std::vector<Rank> group(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(each));
  group.insert(group.end(), b.begin(), b.begin() + static_cast<std::ptrdiff_t>(each));
  return group;
}

// What all share, in seconds a byte; 0 where more pairs carry nearly in proportion more.
double shared_seconds_per_byte(const std::vector<Trunk::Point>& growth) {
  const auto& [pairs, rate] = growth.back();
  if (rate >= probing::full_growth * pairs * growth.front().bytes_per_second) return 0;
  double best = 0;
  for (const Trunk::Point& point : growth) best = std::max(best, point.bytes_per_second);
  return 1 / best;
}

}  // namespace

Result<std::vector<Trunk>> probe_trunks(const Network& network, Prober& prober, const ProbeHooks& hooks) {
  std::vector<Trunk> trunks;
  const auto sites = KnownNetwork::of(network, prober.site().ranks).sites;
  if (sites.size() > probing::most_sites_with_trunks) return trunks;
  for (const auto& a : sites)
    for (const auto& b : sites) {
      if (&a == &b) continue;
      const Hockney alone = hockney_of(network.between(a.front(), b.front()));
      const auto bytes = static_cast<std::size_t>(std::clamp(
          probing::trunk_message_s / alone.beta, probing::least_trunk_bytes, probing::most_trunk_bytes));
      Trunk trunk{.from = a.front(), .to = b.front()};
      const std::size_t most = std::min({a.size(), b.size(), probing::most_on_a_way});
      for (std::size_t each = 1; each <= most; each *= 2) {
        const std::size_t pairs = each * each;
        hooks.progress(1, fmt::format("{} pairs from the site of rank {} to that of rank {}", pairs,
                                      trunk.from, trunk.to));
        const auto seconds = prober.run(Experiment::crossing, {some_of_both(a, b, each)}, bytes, 1);
        if (!seconds) return tl::unexpected(seconds.error());
        // The word that it has come takes a latency more.
        const double takes = std::max(seconds->front() - 2 * alone.alpha, 1e-9);
        trunk.growth.push_back({static_cast<int>(pairs), static_cast<double>(pairs * bytes) / takes});
      }
      trunk.seconds_per_byte = shared_seconds_per_byte(trunk.growth);
      trunks.push_back(std::move(trunk));
    }
  return trunks;
}

Network with_sites_of_trunks(Network network, int ranks) {
  const auto is_shared = [](const Trunk& trunk) { return trunk.seconds_per_byte > 0; };
  if (std::ranges::none_of(network.trunks, is_shared)) return network;
  return with_groups_at(network, site_by_rank(KnownNetwork::of(network, ranks).sites, ranks));
}

}  // namespace tutti::inline choose
