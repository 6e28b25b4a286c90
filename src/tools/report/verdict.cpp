#include "tools/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/size.hpp"

namespace tutti::tools {
namespace {

using AtPoint = std::vector<const Measurement*>;

// Without decisions: the fastest plan that is surely faster than native.
const Measurement* surely_best(const AtPoint& all, const Measurement* native) {
  const Measurement* best = native;
  for (const Measurement* m : all)
    if (m != native && m->ratio_to_native.high < 1 && m->seconds.middle < best->seconds.middle) best = m;
  return best;
}

std::optional<DecidedPoint> decided(const Table& table, const AtPoint& all) {
  const auto of_plan = [&](const std::string& plan) -> const Measurement* {
    const auto found = std::ranges::find_if(all, [&](const Measurement* m) { return m->plan == plan; });
    return found == all.end() ? nullptr : *found;
  };
  const Measurement& first = *all.front();
  const Measurement* native = of_plan("native");
  if (!native) return std::nullopt;
  const Placement placement{first.ranks, first.hosts};
  const RuleSet* set = table.find(first.called(), placement);
  const Rule* rule = set ? set->find(first.size) : nullptr;
  const Measurement* chosen = table.rule_sets.empty() ? surely_best(all, native)
                              : rule                  ? of_plan(rule->plan.text())
                                                      : native;
  if (!chosen) return std::nullopt;
  const Measurement* best = nullptr;
  for (const Measurement* m : all)
    if (m != native && (!best || m->seconds.middle < best->seconds.middle)) best = m;
  return DecidedPoint{first.called(), placement, first.size, native, chosen, best};
}

std::string ratio_at(const Measurement& m) {
  return fmt::format("{:.2f} of native's time ({:.2f} to {:.2f}, {} repetition{}) at {}",
                     m.ratio_to_native.middle, m.ratio_to_native.low, m.ratio_to_native.high, m.repetitions,
                     m.repetitions == 1 ? "" : "s", size_text(m.size));
}

}  // namespace

std::vector<DecidedPoint> decided_points(const Table& table) {
  std::vector<AtPoint> groups;
  std::map<std::tuple<Called, int, int, std::size_t>, std::size_t> known;
  for (const Measurement& m : table.measurements) {
    if (m.situation) continue;  // of groups beside each other: no call
    const auto [entry, added] = known.try_emplace({m.called(), m.ranks, m.hosts, m.size}, groups.size());
    if (added) groups.emplace_back();
    groups[entry->second].push_back(&m);
  }
  std::vector<DecidedPoint> points;
  for (const AtPoint& all : groups)
    if (auto point = decided(table, all)) points.push_back(*point);
  return points;
}

Headline headline_of(const std::vector<DecidedPoint>& points) {
  Headline headline{.points = points.size()};
  double logarithms = 0;
  for (const DecidedPoint& point : points) {
    if (point.chosen == point.native) ++headline.native;
    logarithms += std::log(point.gain());
    if (point.gain() > (headline.largest ? headline.largest->gain() : 1)) headline.largest = point;
  }
  if (!points.empty()) headline.geometric_mean = std::exp(logarithms / static_cast<double>(points.size()));
  return headline;
}

std::string reason(const RuleSet& set, const Rule& rule, const std::vector<DecidedPoint>& points) {
  std::vector<const DecidedPoint*> here;
  for (const DecidedPoint& point : points)
    if (point.called == set.called() && set.serves(point.placement) && rule.size_min <= point.size &&
        point.size <= rule.size_max)
      here.push_back(&point);
  if (here.empty()) return "between what was measured";
  const auto unstable = [](const DecidedPoint* point) { return point->native->unstable; };
  if (rule.plan.is_native() && std::ranges::any_of(here, unstable))
    return "times were unstable, so nothing is concluded";
  if (!rule.plan.is_native())
    return ratio_at(*(*std::ranges::max_element(here, {}, &DecidedPoint::gain))->chosen);
  std::erase_if(here, [](const DecidedPoint* point) { return !point->best; });
  if (here.empty()) return "no other plan was measured";
  const Measurement& nearest = *(*std::ranges::min_element(here, {}, [](const DecidedPoint* point) {
                                  return point->best->ratio_to_native.middle;
                                }))->best;
  return fmt::format("the best other plan, {}, took {}", nearest.plan, ratio_at(nearest));
}

}  // namespace tutti::tools
