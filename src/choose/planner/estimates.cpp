#include "choose/planner/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "choose/planner/constants.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/median.hpp"

namespace tutti::inline choose {
namespace {

double log_of(std::size_t size) {
  return std::log(static_cast<double>(std::max<std::size_t>(size, 1)));
}

// The value at x on the line through (a, f) and (b, g).
double on_line(double x, double a, double f, double b, double g) {
  return a == b ? f : f + (g - f) * (x - a) / (b - a);
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// The entry whose key is nearest by its logarithm.
template <typename Map>
auto nearest(const Map& map, std::size_t key) {
  const auto distance = [key](const auto& entry) {
    return std::abs(log_of(static_cast<std::size_t>(entry.first)) - log_of(key));
  };
  return std::min_element(map.begin(), map.end(),
                          [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
}

}  // namespace

Estimates::Estimates(const Table& table, Collective collective, Placement wanted) : wanted_(wanted) {
  const bool others_tell = table.model && knows_both_kinds_of_links(*table.model);
  const auto counts = [&](const Measurement& m) {
    return tells_of_others(m) && m.collective == collective && m.seconds.middle > 0;
  };
  const auto is_of_the_kind = [&](const Measurement& m) { return (m.hosts == 1) == (wanted.hosts == 1); };
  const std::vector<Measurement>& known = table.known_measurements();
  std::set<int> like;  // ranks that were measured on one host, or on several, as is asked for
  for (const Measurement& m : known)
    if (counts(m) && is_of_the_kind(m)) like.insert(m.ranks);
  for (const Measurement& m : known) {
    const bool is_like = is_of_the_kind(m);
    if (!counts(m) || (!is_like && (!others_tell || like.contains(m.ranks)))) continue;
    if (m.plan == "native")
      native_[{m.ranks, m.hosts}].emplace(m.size, m.seconds.middle);
    else if (!m.unstable && is_like)
      over_price_[m.ranks][m.size].push_back(std::log(m.seconds.middle / m.price_s));
  }
  margin_ = std::max(planner::least_margin, find_margin());
}

std::optional<double> Estimates::along(const BySize& seconds, std::size_t size) {
  const auto above = seconds.lower_bound(size);
  if (above == seconds.end()) return std::nullopt;
  if (above->first == size) return above->second;
  if (above == seconds.begin()) return std::nullopt;
  const auto below = std::prev(above);
  return std::exp(on_line(log_of(size), log_of(below->first), std::log(below->second), log_of(above->first),
                          std::log(above->second)));
}

// What native takes on just so many ranks, on the nearest number of hosts of which that is known.
std::optional<double> Estimates::native_of(int ranks, std::size_t size) const {
  std::optional<double> found;
  double least = 0;
  for (auto at = native_.lower_bound({ranks, 0}); at != native_.end() && at->first.ranks == ranks; ++at) {
    const double away = std::abs(log_of(static_cast<std::size_t>(at->first.hosts)) -
                                 log_of(static_cast<std::size_t>(wanted_.hosts)));
    if (found && away >= least) continue;
    if (const auto seconds = along(at->second, size)) {
      found = seconds;
      least = away;
    }
  }
  return found;
}

std::optional<double> Estimates::native(std::size_t size) const {
  const auto above = native_.lower_bound({wanted_.ranks, 0});
  if (above == native_.end()) return std::nullopt;
  const int more = above->first.ranks;
  const auto high = native_of(more, size);
  if (more == wanted_.ranks || !high) return high;
  if (above == native_.begin()) return std::nullopt;
  const int fewer = std::prev(above)->first.ranks;
  const auto low = native_of(fewer, size);
  if (!low) return std::nullopt;
  return std::exp(
      on_line(std::log(wanted_.ranks), std::log(fewer), std::log(*low), std::log(more), std::log(*high)));
}

double Estimates::correction(std::size_t size) const {
  if (over_price_.empty()) return 1;
  const auto& of_ranks = nearest(over_price_, static_cast<std::size_t>(wanted_.ranks))->second;
  return std::exp(median(nearest(of_ranks, size)->second));
}

double Estimates::find_margin() const {
  std::vector<double> of_plans, of_native;
  for (const auto& [ranks, sizes] : over_price_)
    for (const auto& [size, logarithms] : sizes)
      for (const double each : logarithms) of_plans.push_back(std::abs(each - median(logarithms)));
  for (const auto& [placement, sizes] : native_)
    for (const auto& [size, seconds] : sizes) {
      BySize others = sizes;
      others.erase(size);
      if (const auto expected = along(others, size))
        of_native.push_back(std::abs(std::log(*expected / seconds)));
    }
  return std::exp(quantile(of_plans, 0.75) + quantile(of_native, 0.5) / 2) - 1;
}

}  // namespace tutti::inline choose
