#include "choose/evidence/decided_points.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti::inline choose {
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

}  // namespace tutti::inline choose
