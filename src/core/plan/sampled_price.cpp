#include "core/plan/sampled_price.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/least_squares.hpp"
#include "core/network/groups.hpp"
#include "core/network/price.hpp"
#include "core/plan/plan_symmetry.hpp"

namespace tutti::inline core {
namespace {

constexpr std::size_t least_samples = 4, most_samples = 7;

// The network of the ranks on the first hosts only; nothing of its links changes.
Network on_first_hosts(const Network& network, int ranks, int hosts) {
  Network smaller = network;
  smaller.hosts.clear();
  smaller.group_of.clear();
  for (Rank rank = 0; rank < ranks; ++rank)
    if (network.host(rank) < hosts) {
      smaller.hosts.push_back(network.host(rank));
      if (!network.group_of.empty())
        smaller.group_of.push_back(network.group_of[static_cast<std::size_t>(rank)]);
    }
  return smaller;
}

struct Sample {
  double ranks, seconds;
};

// Functions of ranks, by their terms.
using Terms = std::vector<double> (*)(double p);
constexpr std::array<Terms, 6> curves{
    [](double) -> std::vector<double> { return {1}; },
    [](double p) -> std::vector<double> {
      return {1, std::log2(p)};
    },
    [](double p) -> std::vector<double> {
      return {1, p};
    },
    [](double p) -> std::vector<double> {
      return {1, std::log2(p), p};
    },
    [](double p) -> std::vector<double> {
      return {1, p, p * std::log2(p)};
    },
    [](double p) -> std::vector<double> {
      return {1, p, p * p};
    },
};

// What a curve that fits the samples, by relative least squares, says of `ranks` ranks; nothing
// where the samples are too few for it, or it falls.
std::optional<double> extrapolated(const std::vector<Sample>& samples, Terms terms, double ranks) {
  if (samples.size() < terms(2).size()) return std::nullopt;
  std::vector<LinearEquation> equations;
  for (const Sample& sample : samples) {
    equations.push_back({terms(sample.ranks), 1});
    for (double& factor : equations.back().factors) factor /= sample.seconds;
  }
  const std::vector<double> found = least_squares(equations).unknowns;
  if (std::any_of(found.begin() + 1, found.end(), [](double of_term) { return of_term < 0; }))
    return std::nullopt;  // more ranks never take less
  const auto at = terms(ranks);
  return std::inner_product(found.begin(), found.end(), at.begin(), 0.0);
}

// The curve that is least off says what more ranks take: from the samples it was fitted to, and
// from the largest ones where it was fitted to the others. By how much, for each time that ranks
// double from there on, and how far others are from it that are off by as little bound its error.
std::optional<SampledPrice> told_by(const std::vector<Sample>& samples, int ranks) {
  const std::vector<Sample> smaller(samples.begin(),
                                    samples.end() - static_cast<std::ptrdiff_t>(samples.size() / 3));
  struct Told {
    double off, seconds;
  };
  std::vector<Told> told;
  for (const Terms terms : curves) {
    const auto more = extrapolated(samples, terms, ranks);
    if (!more) continue;
    double off = 0;
    for (const Sample& sample : samples)
      for (const auto* from : {&samples, &smaller})
        off = std::max(off,
                       std::abs(extrapolated(*from, terms, sample.ranks).value_or(0) / sample.seconds - 1));
    told.push_back({off, *more});
  }
  if (told.empty()) return std::nullopt;
  const Told& best =
      *std::min_element(told.begin(), told.end(), [](const Told& a, const Told& b) { return a.off < b.off; });
  constexpr double as_good = 2, about = 0.05, least = 0.02;
  const double doublings = std::log2(ranks / samples.back().ranks);
  SampledPrice price{
      .seconds = best.seconds, .error = (best.off + least) * std::max(1.0, doublings), .ranks = {}};
  for (const Told& other : told)
    if (other.off <= as_good * best.off + about)
      price.error = std::max(price.error, std::abs(other.seconds / best.seconds - 1));
  return price;
}

}  // namespace

std::optional<SampledPrice> sampled_price(const Plan& plan, int ranks, std::size_t size,
                                          const Network& network, std::size_t most_operations) {
  const bool has_trunks = !network.group_of.empty() && !network.trunks.empty();
  if (!network.link_of.empty() || network.torus || has_trunks || plan.goes_by_network() ||
      traits(plan.collective()).on_neighbors)
    return std::nullopt;
  const bool any_number = network.known_ranks() == 0;
  const int hosts = network.hosts.empty() ? ranks : count(network.hosts);
  const int whole = count_groups_of_all(network, ranks);
  std::vector<Sample> samples;  // the largest first
  std::vector<int> sampled;
  // Halves, so that powers of two stay such, and others others.
  for (int some = hosts / 2; some >= 2 && samples.size() < most_samples; some /= 2) {
    const Network smaller = any_number ? network : on_first_hosts(network, ranks, some);
    const int fewer = any_number ? some : static_cast<int>(smaller.hosts.size());
    // Within one group of several there is nothing of what these share.
    if (count_groups_of_all(smaller, fewer) > whole) break;
    const Setting setting{.ranks = fewer, .hosts = any_number ? nullptr : &smaller.hosts};
    if (plan.refusal(setting)) return std::nullopt;
    const std::size_t bytes = total_bytes(plan.collective(), setting, size);
    const Shape shape = shape_of(plan, setting, 0, bytes);
    const Outline outline(plan, shape, bytes, smaller);
    if (outline.operations() > most_operations) continue;
    const double seconds = price(outline.schedule(), bytes, smaller).seconds;
    if (seconds <= 0) return std::nullopt;
    samples.push_back({static_cast<double>(fewer), seconds});
    sampled.push_back(fewer);
  }
  if (samples.size() < least_samples) return std::nullopt;
  std::reverse(samples.begin(), samples.end());
  std::reverse(sampled.begin(), sampled.end());
  auto price = told_by(samples, ranks);
  if (price) price->ranks = std::move(sampled);
  return price;
}

}  // namespace tutti::inline core
