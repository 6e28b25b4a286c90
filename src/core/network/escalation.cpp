#include "core/network/escalation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/network/median.hpp"

namespace tutti::inline core {
namespace {

// The line under all runs: escalations only add.
struct Wire {
  double at_zero = 0, slope = 0;
  double operator()(std::size_t bytes) const { return at_zero + slope * static_cast<double>(bytes); }
};

Wire wire_of(const Repetitions& seconds) {
  Wire wire;
  const auto least = [](const std::vector<double>& runs) {
    return *std::min_element(runs.begin(), runs.end());
  };
  const auto& [smallest, runs] = *seconds.begin();
  wire.at_zero = least(runs);
  wire.slope = std::numeric_limits<double>::infinity();
  for (const auto& [bytes, more] : seconds)
    if (bytes > smallest)
      wire.slope = std::min(wire.slope, (least(more) - wire.at_zero) / static_cast<double>(bytes - smallest));
  wire.slope = std::isfinite(wire.slope) ? std::max(0.0, wire.slope) : 0;
  wire.at_zero = std::max(0.0, wire.at_zero - wire.slope * static_cast<double>(smallest));
  return wire;
}

struct Clusters {
  std::vector<double> means;
  double squares = 0;
};

// The best split of sorted values into k clusters: those of least squares (dynamic programming).
Clusters clusters(const std::vector<double>& sorted, std::size_t k) {
  const std::size_t n = sorted.size();
  std::vector<double> sum(n + 1), square(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    sum[i + 1] = sum[i] + sorted[i];
    square[i + 1] = square[i] + sorted[i] * sorted[i];
  }
  const auto cost = [&](std::size_t begin, std::size_t end) {
    const double total = sum[end] - sum[begin];
    return std::max(0.0, square[end] - square[begin] - total * total / static_cast<double>(end - begin));
  };
  constexpr double unreached = std::numeric_limits<double>::infinity();
  std::vector best(k + 1, std::vector<double>(n + 1, unreached));
  std::vector from(k + 1, std::vector<std::size_t>(n + 1, 0));
  best[0][0] = 0;
  for (std::size_t c = 1; c <= k; ++c)
    for (std::size_t end = c; end <= n; ++end)
      for (std::size_t begin = c - 1; begin < end; ++begin)
        if (const double all = best[c - 1][begin] + cost(begin, end); all < best[c][end]) {
          best[c][end] = all;
          from[c][end] = begin;
        }
  Clusters result{{}, best[k][n]};
  for (std::size_t c = k, end = n; c > 0; end = from[c][end], --c)
    result.means.insert(result.means.begin(),
                        (sum[end] - sum[from[c][end]]) / static_cast<double>(end - from[c][end]));
  return result;
}

std::vector<double> levels_of(std::vector<double> delays) {
  constexpr std::size_t most_levels = 5;
  std::sort(delays.begin(), delays.end());
  const auto n = static_cast<double>(delays.size());
  // Delays that differ by less than a twentieth of their mean are one level anyhow.
  const double mean = std::accumulate(delays.begin(), delays.end(), 0.0) / n;
  const double same = 0.05 * mean * 0.05 * mean;
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k <= std::min(most_levels, delays.size()); ++k) {
    const Clusters found = clusters(delays, k);
    const double criterion =
        n * std::log(found.squares / n + same) + 2 * static_cast<double>(k) * std::log(n);
    if (criterion >= least) continue;
    least = criterion;
    best = found.means;
  }
  return best;
}

}  // namespace

std::optional<Escalations> find_escalations(const Repetitions& seconds, double least_s) {
  constexpr double share_that_counts = 0.05;
  if (seconds.empty()) return std::nullopt;
  const Wire wire = wire_of(seconds);
  const auto delay = [&](std::size_t bytes, double run) -> std::optional<double> {
    const double beyond = run - wire(bytes);
    if (beyond <= least_s || beyond <= 0.5 * wire(bytes)) return std::nullopt;
    return beyond;
  };
  std::vector<double> delays;
  Escalations found;
  for (const auto& [bytes, runs] : seconds) {
    const std::size_t before = delays.size();
    for (const double run : runs)
      if (const auto beyond = delay(bytes, run)) delays.push_back(*beyond);
    const auto share = static_cast<double>(delays.size() - before) / static_cast<double>(runs.size());
    if (share < share_that_counts) {
      delays.resize(before);
      if (found.m2 == 0) found.m1 = bytes;
    } else {
      found.m2 = bytes;
    }
  }
  if (delays.empty()) return std::nullopt;
  found.levels = levels_of(delays);
  for (const auto& [bytes, runs] : seconds) {
    auto& shares = found.probabilities[bytes];
    shares.assign(found.levels.size(), 0);
    for (const double run : runs)
      if (const auto beyond = delay(bytes, run)) {
        const auto nearest = std::min_element(
            found.levels.begin(), found.levels.end(),
            [&](double a, double b) { return std::abs(a - *beyond) < std::abs(b - *beyond); });
        shares[static_cast<std::size_t>(nearest - found.levels.begin())] +=
            1 / static_cast<double>(runs.size());
      }
  }
  return found;
}

std::optional<std::size_t> find_leap(const Repetitions& seconds) {
  constexpr double least_leap = 0.1;
  constexpr std::size_t least_points = 3;
  std::vector<std::pair<double, double>> points;
  for (const auto& [bytes, runs] : seconds) points.emplace_back(static_cast<double>(bytes), median(runs));
  if (points.size() < 2 * least_points) return std::nullopt;
  struct Line {
    double at_zero = 0, slope = 0, squares = 0;
  };
  // Least squares of the relative deviations.
  const auto line = [&](std::size_t begin, std::size_t end) {
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto [x, y] = points[i];
      const double weight = 1 / (y * y);
      w += weight, wx += weight * x, wy += weight * y, wxx += weight * x * x, wxy += weight * x * y;
    }
    Line fit;
    fit.slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
    fit.at_zero = (wy - fit.slope * wx) / w;
    for (std::size_t i = begin; i < end; ++i) {
      const double deviation = (fit.at_zero + fit.slope * points[i].first) / points[i].second - 1;
      fit.squares += deviation * deviation;
    }
    return fit;
  };
  const Line whole = line(0, points.size());
  std::optional<std::size_t> leap;
  double least = whole.squares / 2;  // two lines fit better anyhow
  for (std::size_t border = least_points; border + least_points <= points.size(); ++border) {
    const Line left = line(0, border), right = line(border, points.size());
    const double size = points[border].first;
    const bool higher =
        right.at_zero + right.slope * size > (1 + least_leap) * (left.at_zero + left.slope * size);
    if (!higher || left.squares + right.squares >= least) continue;
    least = left.squares + right.squares;
    leap = static_cast<std::size_t>(points[border - 1].first);
  }
  return leap;
}

}  // namespace tutti::inline core
