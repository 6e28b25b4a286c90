#include "choose/offline/own_algorithms.hpp"

#include <algorithm>
#include <map>

#include "choose/offline/point_tuner.hpp"

namespace tutti::inline choose {
namespace {

bool is_of(const Measurement& m, const RuleSet& set) {
  return m.called() == set.called() && m.ranks == set.placement.ranks && m.hosts == set.placement.hosts &&
         !m.situation;
}

// The points of some rules as they were tuned, by size.
std::map<std::size_t, TunedPoint> points_of(const RuleSet& set, const Table& table) {
  std::map<std::size_t, TunedPoint> points;
  for (const Measurement& m : table.measurements) {
    if (!is_of(m, set)) continue;
    const Rule* rule = set.find(m.size);
    const TunedPoint untried{
        {set.collective, m.ranks, m.size}, {}, rule ? rule->plan : Plan::native(set.collective)};
    points.try_emplace(m.size, untried).first->second.measurements.push_back(m);
  }
  return points;
}

const Measurement* of_plan(const TunedPoint& point, const std::string& plan) {
  const auto found = std::ranges::find(point.measurements, plan, &Measurement::plan);
  return found == point.measurements.end() ? nullptr : &*found;
}

// Whether a point's times scatter too much to conclude anything from them.
bool is_unstable(const TunedPoint& point) {
  return std::ranges::any_of(point.measurements, &Measurement::unstable);
}

// Whether one of the library's algorithms is surely ahead of what was decided.
bool is_ahead(const Measurement& own, const TunedPoint& point, const Site& site) {
  const Measurement* chosen = point.plan.is_native() ? nullptr : of_plan(point, point.plan.text());
  return !own.two_modes && !is_unstable(point) && surely_gains(own, site) &&
         (!chosen || own.ratio_to_native.high < chosen->ratio_to_native.low);
}

// Adds what the library's algorithms took to the points; returns that.
std::vector<Measurement> add_library(std::map<std::size_t, TunedPoint>& points, const RuleSet& set,
                                     const Table& table, const Site& site) {
  std::map<std::size_t, const Measurement*> best;
  std::vector<Measurement> added;
  for (const Measurement& m : table.library) {
    const auto point = points.find(m.size);
    if (!is_of(m, set) || m.plan == "native" || point == points.end()) continue;
    Measurement own = m;
    own.plan = Plan::native(set.collective, m.plan).text();
    if (const Measurement*& known = best[m.size];
        is_ahead(own, point->second, site) &&
        (!known || m.ratio_to_native.middle < known->ratio_to_native.middle))
      known = &m;
    added.push_back(std::move(own));
  }
  for (const auto& [size, own] : best)
    if (own) points.at(size).plan = Plan::native(set.collective, own->plan);
  for (const Measurement& own : added) points.at(own.size).measurements.push_back(own);
  return added;
}

}  // namespace

void decide_on_own_algorithms(Table& table, const Site& site, bool fixed_order) {
  // Others can't be asked for their algorithms in programs.
  if (site.components.empty() && !site.fingerprint.is_of_mpich()) return;
  for (RuleSet& set : table.rule_sets) {
    const bool keeps_order = fixed_order && traits(set.collective).reduces;
    if (set.mode != Mode::blocking || is_irregular(set.collective) || keeps_order) continue;
    auto by_size = points_of(set, table);
    const std::vector<Measurement> added = add_library(by_size, set, table, site);
    if (added.empty()) continue;
    std::vector<const TunedPoint*> points;
    for (const auto& [size, point] : by_size) points.push_back(&point);
    set.rules = rules_from(points);
    table.measurements.insert(table.measurements.end(), added.begin(), added.end());
  }
}

}  // namespace tutti::inline choose
