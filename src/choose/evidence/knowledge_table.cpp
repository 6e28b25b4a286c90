#include "choose/evidence/knowledge_table.hpp"

#include <algorithm>
#include <cmath>

#include "choose/evidence/contrast.hpp"
#include "choose/evidence/ranking.hpp"

namespace tutti::inline choose {
namespace {

// The best plan where one surely gains, or native.
std::string best_plan(const EvidenceByPlan& plans) {
  const Ranking ranking(plans);
  const Ranking::Place* best = ranking.best();
  return best ? *best->plan : "native";
}

// What was seen of calls of any size, which comes first, holds at sizes without a rule.
void add_rule(RuleSet& set, const SizeClass& size, const std::string& text) {
  Plan plan = make_plan(set.collective, text).value();
  const bool of_any = traits(set.collective).size_means == SizeMeans::nothing && size == SizeClass{};
  const std::size_t largest = of_any ? unlimited : size.largest();
  const auto end = set.rules.end() - (!set.rules.empty() && set.rules.back().size_max == unlimited);
  if (end != set.rules.begin() && std::prev(end)->plan == plan &&
      std::prev(end)->size_max + 1 == size.smallest())
    std::prev(end)->size_max = largest;
  else
    set.rules.insert(end, Rule{size.smallest(), largest, std::move(plan)});
}

Measurement measurement_of(const CallClass& calls, const std::string& plan, const Evidence& evidence) {
  const bool native = plan == "native";
  Measurement measurement{calls.collective,
                          calls.placement.ranks,
                          calls.placement.hosts,
                          calls.typical_size(),
                          plan,
                          evidence.seconds.interval(0.05),
                          evidence.seconds.mean,
                          native ? Interval{1, 1, 1} : evidence.ratio_to_native(),
                          static_cast<int>(std::min(evidence.calls, 1e9))};
  measurement.mode = calls.mode;
  return measurement;
}

// The rules for such calls, none yet where there were none.
RuleSet& rules_for(const CallClass& calls, Table& table) {
  const auto found = std::ranges::find_if(table.rule_sets, [&](const RuleSet& set) {
    return set.called() == calls.called() && set.placement == calls.placement;
  });
  if (found != table.rule_sets.end()) return *found;
  return table.rule_sets.emplace_back(
      RuleSet{calls.collective, calls.placement, {}, calls.placement.ranks, calls.mode});
}

}  // namespace

Table table_of(const Knowledge& knowledge, const Fingerprint& place) {
  Table table{place, {}, {}, {}};
  const Knowledge seen = knowledge.seen_from(place);
  if (!seen.networks.empty()) table.network = hockney_of(seen.networks.begin()->second.links.back());
  for (const auto& [key, plans] : seen.classes) {
    const CallClass& calls = key.calls;
    if (calls.operands != OperandOrders::any || traits(calls.collective).on_neighbors) continue;
    // Rules of other modes hold for persistent calls as long as no plan was tried in these.
    if (calls.mode == Mode::persistent && plans.size() == 1 && plans.contains("native")) continue;
    add_rule(rules_for(calls, table), calls.size, best_plan(plans));
    for (const auto& [plan, evidence] : plans)
      if (std::isfinite(evidence.seconds.interval(0.05).low) &&
          std::isfinite(evidence.ratio_to_native().high))
        table.measurements.push_back(measurement_of(calls, plan, evidence));
  }
  return table;
}

Knowledge knowledge_of(const Table& table, Day day) {
  Knowledge knowledge{.machine = table.fingerprint.machine, .classes = {}, .networks = {}};
  for (const Measurement& m : table.measurements) {
    // Calls of other modes are measured otherwise than programs spend time in them, and tables do
    // not say who was whose neighbour. Of times that no curve explains nothing is concluded, and
    // groups beside each other are not alone, as ranks are elsewhere.
    if (m.mode != Mode::blocking || traits(m.collective).on_neighbors || m.unstable || m.situation) continue;
    const bool sized = m.collective != Collective::barrier;
    const CallClass calls{m.collective, {m.ranks, m.hosts}, SizeClass::of(sized ? m.size : 0)};
    Evidence evidence{.calls = static_cast<double>(m.repetitions),
                      .seconds = {},
                      .against_native = {},
                      .first = day,
                      .last = day};
    // Takes the bounds of a 95 % interval for two deviations to either side.
    const auto sample = [&](double low, double mean, double high) {
      const double n = std::max(m.repetitions, 1), error = (high - low) / 4;
      return Sample{n, n, mean, error * error * n * std::max(n - 1, 1.0)};
    };
    evidence.seconds = sample(m.seconds.low, m.mean, m.seconds.high);
    if (m.plan != "native")
      evidence.against_native =
          sample(contrast_of_ratio(m.ratio_to_native.low), contrast_of_ratio(m.ratio_to_native.middle),
                 contrast_of_ratio(m.ratio_to_native.high));
    knowledge.classes[{table.fingerprint.mpi, calls, table.fingerprint.carrier(m.hosts)}][m.plan].merge(
        evidence);
  }
  return knowledge;
}

}  // namespace tutti::inline choose
