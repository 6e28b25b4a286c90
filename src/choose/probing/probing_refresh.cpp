#include <fmt/format.h>

#include "choose/probing/constants.hpp"
#include "choose/probing/probing.hpp"
#include "core/network/remeasured.hpp"
#include "core/synthesis/known_network.hpp"

namespace tutti::inline choose {

Result<Network> refresh(const Network& network, Prober& prober, double budget_s, const ProbeHooks& hooks) {
  const int ranks = prober.site().ranks;
  const int rounds = count_rounds(ranks);
  std::vector<PairTime> times;
  for (int i = 0; i < rounds; ++i) {
    if (i > 0 && hooks.clock() > budget_s) break;
    hooks.progress(static_cast<double>(i) / rounds, fmt::format("pairs, round {} of {}", i + 1, rounds));
    const auto pairs = round_of_pairs(ranks, i);
    std::vector<std::vector<Rank>> groups;
    for (const auto& [a, b] : pairs) groups.push_back({a, b});
    const auto seconds = prober.run(Experiment::round_trip, groups, probing::long_bytes, 1);
    if (!seconds) return tl::unexpected(seconds.error());
    for (std::size_t pair = 0; pair < groups.size(); ++pair)
      times.push_back({pairs[pair].first, pairs[pair].second, (*seconds)[pair] / 2});
  }
  return remeasured(network, ranks, probing::long_bytes, times, KnownNetwork::of(network, ranks).sites);
}

}  // namespace tutti::inline choose
