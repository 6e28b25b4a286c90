#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "choose/probing/constants.hpp"
#include "choose/probing/probing.hpp"

namespace tutti::inline choose {
namespace {

// Groups of which each rank is in one at most, as many together as go.
std::vector<std::vector<std::vector<Rank>>> rounds_of(const std::vector<std::vector<Rank>>& groups) {
  std::vector<std::vector<std::vector<Rank>>> rounds;
  std::vector<std::set<Rank>> busy;
  for (const auto& group : groups) {
    std::size_t round = 0;
    const auto taken = [&](Rank rank) { return busy[round].contains(rank); };
    while (round < rounds.size() && std::any_of(group.begin(), group.end(), taken)) ++round;
    if (round == rounds.size()) {
      rounds.emplace_back();
      busy.emplace_back();
    }
    rounds[round].push_back(group);
    busy[round].insert(group.begin(), group.end());
  }
  return rounds;
}

}  // namespace

Result<Lmo> probe_lmo(Prober& prober, const ProbeHooks& hooks) {
  const int ranks = prober.site().ranks;
  const int repetitions = prober.site().simulated ? 1 : 9;
  if (ranks < 3) return failure("LMO needs three ranks");
  if (ranks > most_ranks_apart)
    return failure(fmt::format("LMO is a table of all pairs of ranks, of {} at most", most_ranks_apart));
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<double> empty(p * p), full(p * p), there(p * p);  // by from · ranks + to
  for (int round = 0; round < count_rounds(ranks); ++round) {
    hooks.progress(static_cast<double>(round) / count_rounds(ranks), "LMO: round trips");
    std::vector<std::vector<Rank>> groups;
    for (const auto& [a, b] : round_of_pairs(ranks, round)) groups.push_back({a, b});
    for (const auto& [experiment, size, into] : {std::tuple(Experiment::round_trip, std::size_t{0}, &empty),
                                                 {Experiment::round_trip, probing::long_bytes, &full},
                                                 {Experiment::there, probing::long_bytes, &there}}) {
      const auto seconds = prober.run(experiment, groups, size, repetitions);
      if (!seconds) return tl::unexpected(seconds.error());
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto a = static_cast<std::size_t>(groups[i][0]), b = static_cast<std::size_t>(groups[i][1]);
        (*into)[a * p + b] = (*into)[b * p + a] = (*seconds)[i];
      }
    }
  }
  std::vector<std::vector<Rank>> triples;
  for (Rank root = 0; root < ranks; ++root) triples.push_back({root, (root + 1) % ranks, (root + 2) % ranks});
  const auto at = [p](const std::vector<double>& matrix) {
    return [&matrix, p](Rank a, Rank b) {
      return matrix[static_cast<std::size_t>(a) * p + static_cast<std::size_t>(b)];
    };
  };
  LmoExperiments experiments{.bytes = probing::long_bytes,
                             .empty_round_trip = at(empty),
                             .round_trip = at(full),
                             .there = at(there),
                             .one_to_two = {}};
  for (const auto& groups : rounds_of(triples)) {
    hooks.progress(1, "LMO: one to two");
    const auto seconds = prober.run(Experiment::one_to_all, groups, probing::long_bytes, repetitions);
    if (!seconds) return tl::unexpected(seconds.error());
    for (std::size_t i = 0; i < groups.size(); ++i)
      experiments.one_to_two.push_back({groups[i][0], groups[i][1], groups[i][2], (*seconds)[i]});
  }
  return lmo_from(ranks, experiments);
}

}  // namespace tutti::inline choose
