#include "choose/evidence/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "choose/evidence/constants.hpp"
#include "choose/evidence/rounded.hpp"

namespace tutti::inline choose {
namespace {

// The largest k for which the k-th smallest and the k-th largest of n samples hold the median
// between them with 95 % confidence; 1 if none does. Of many samples it is that of a normal
// distribution, for the binomial one begins with a number that is too small to be one.
std::size_t bound_rank(std::size_t n) {
  if (n > evidence::most_binomial) {
    const auto many = static_cast<double>(n);
    return static_cast<std::size_t>(many / 2 - evidence::deviations_of_the_bound * std::sqrt(many));
  }
  double probability = std::pow(0.5, static_cast<double>(n));  // of i samples below the median
  double below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    below += probability;
    if (below > 0.025) return std::max<std::size_t>(i, 1);
    probability *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return 1;
}

// Mean and variance of a group, from sums over it.
std::pair<double, double> moments(double sum, double squares, std::size_t count) {
  const auto n = static_cast<double>(count);
  return {sum / n, std::max(0.0, squares / n - sum / n * (sum / n))};
}

}  // namespace

Interval median_interval(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size(), k = bound_rank(n);
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

// Cuts the sorted logarithms in two where the sum of squares is the smallest.
bool have_two_modes(std::span<const double> samples) {
  std::vector<double> logs;
  for (const double sample : samples)
    if (sample > 0) logs.push_back(rounded(std::log(sample)));
  const std::size_t n = logs.size();
  const std::size_t smallest =
      std::max(evidence::fewest_of_a_mode,
               static_cast<std::size_t>(evidence::least_share_of_a_mode * static_cast<double>(n)));
  if (n < 2 * smallest) return false;
  std::sort(logs.begin(), logs.end());
  double sum = 0, sum_of_squares = 0;
  for (const double value : logs) sum += value, sum_of_squares += value * value;
  double least_squares = std::numeric_limits<double>::infinity(), distance = 0, step = 0;
  double low_sum = 0, low_squares = 0;
  for (std::size_t cut = 1; cut + smallest <= n; ++cut) {
    low_sum += logs[cut - 1];
    low_squares += logs[cut - 1] * logs[cut - 1];
    if (cut < smallest) continue;
    const auto [low, low_variance] = moments(low_sum, low_squares, cut);
    const auto [high, high_variance] = moments(sum - low_sum, sum_of_squares - low_squares, n - cut);
    const double squares =
        static_cast<double>(cut) * low_variance + static_cast<double>(n - cut) * high_variance;
    if (squares >= least_squares) continue;
    least_squares = squares;
    step = high - low;
    distance = std::sqrt(2) * step / std::sqrt(std::max(low_variance + high_variance, 1e-12));
  }
  return step > rounded(std::log(evidence::modes_factor)) && distance > evidence::modes_apart;
}

// The longest chain of times of which each is explained by the one before it.
std::vector<std::size_t> unexplained(std::span<const double> times) {
  const std::size_t n = times.size();
  std::vector<std::size_t> length(n, 1), before(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (times[j] <= evidence::explained_factor * times[i] && length[j] + 1 > length[i]) {
        length[i] = length[j] + 1;
        before[i] = j;
      }
  std::vector<bool> explained(n, false);
  std::size_t end = 0;  // of the longest, the one that reaches farthest
  for (std::size_t i = 0; i < n; ++i)
    if (length[i] >= length[end]) end = i;
  for (std::size_t i = n == 0 ? n : end; i < n; i = before[i]) explained[i] = true;
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < n; ++i)
    if (!explained[i]) rest.push_back(i);
  return rest;
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
          static_cast<int>(samples.size()),
          have_two_modes(samples)};
}

double geometric_mean(std::span<const double> ratios) {
  double logarithms = 0;
  for (const double ratio : ratios) logarithms += std::log(ratio);
  return ratios.empty() ? 1 : std::exp(logarithms / static_cast<double>(ratios.size()));
}

double doublings_between(std::size_t a, std::size_t b) {
  return std::abs(std::log2(static_cast<double>(a) + 1) - std::log2(static_cast<double>(b) + 1));
}

}  // namespace tutti::inline choose
