#include "tuning/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tutti {
namespace {

// The largest k for which the k-th smallest and the k-th largest of n samples hold the median between them
// with 95 % confidence; 1 if none does.
std::size_t bound_rank(std::size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n));  // of i samples below the median
  double below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    below += probability;
    if (below > 0.025) return std::max<std::size_t>(i, 1);
    probability *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return 1;
}

}  // namespace

Interval median_interval(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size(), k = bound_rank(std::min<std::size_t>(n, 1000));
  const double median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  return {sorted[k - 1], median, sorted[n - k]};
}

Interval ratio_interval(std::span<const double> samples, std::span<const double> reference) {
  std::vector<double> ratios(samples.size());
  // Two equal times are equal, even if the clock shows both as nothing.
  std::transform(samples.begin(), samples.end(), reference.begin(), ratios.begin(),
                 [](double mine, double theirs) { return mine == theirs ? 1 : mine / theirs; });
  return median_interval(ratios);
}

Measurement summarize(Collective collective, int ranks, int hosts, std::size_t size, std::string plan,
                      std::span<const double> samples, std::span<const double> native) {
  return {collective,
          ranks,
          hosts,
          size,
          std::move(plan),
          median_interval(samples),
          std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size()),
          ratio_interval(samples, native),
          static_cast<int>(samples.size())};
}

}  // namespace tutti
