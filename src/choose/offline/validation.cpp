#include "choose/offline/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/size.hpp"
#include "choose/evidence/contrast.hpp"
#include "choose/evidence/decided_points.hpp"
#include "choose/evidence/statistics.hpp"
#include "choose/offline/point_tuner.hpp"

namespace tutti::inline choose {
namespace {

bool is_at(const Measurement& m, const Point& point, int hosts) {
  return !m.situation && m.called() == point.called() && m.ranks == point.ranks && m.hosts == hosts &&
         m.size == point.size;
}

// The fastest plan of a point besides native and what was chosen.
std::optional<Plan> runner_up(const Table& table, const Point& point, int hosts, const std::string& chosen) {
  const Measurement* best = nullptr;
  for (const Measurement& m : table.measurements)
    if (is_at(m, point, hosts) && m.plan != "native" && m.plan != chosen &&
        (!best || m.seconds.middle < best->seconds.middle))
      best = &m;
  if (!best) return std::nullopt;
  const auto plan = make_plan(point.collective, best->plan);
  return plan ? std::optional(*plan) : std::nullopt;
}

// Times of the plans of a decision, taken in turn.
class Times {
 public:
  Times(std::vector<Plan> plans, Measurer::Samples samples)
      : plans_(std::move(plans)), samples_(std::move(samples)) {}

  bool complete() const {
    return std::ranges::none_of(samples_.seconds, [](const auto& all) { return all.empty(); });
  }
  // Every plan has as many, since they take turns.
  int runs() const { return static_cast<int>(samples_.seconds.front().size()); }
  bool have_two_modes() const {
    return std::ranges::any_of(samples_.seconds, [](const auto& all) { return choose::have_two_modes(all); });
  }
  // A plan's time over another's.
  Interval ratio(const Plan& plan, const Plan& other) const { return ratio_interval(of(plan), of(other)); }
  std::vector<Measurement> summary(const Point& point) const {
    return summarize(point, plans_, samples_).of_plans;
  }

 private:
  const std::vector<double>& of(const Plan& plan) const {
    return samples_.seconds[static_cast<std::size_t>(std::ranges::find(plans_, plan) - plans_.begin())];
  }
  std::vector<Plan> plans_;
  Measurer::Samples samples_;
};

std::string takes(const Plan& plan, const Interval& ratio, const Plan& other) {
  return fmt::format("{} takes {} of {}'s time", plan.text(), ratio_text(ratio), other.text());
}

Validated judged(const Decision& decision, const Times& times, const Site& site) {
  Validated result{decision, Standing::holds, "", times.summary(decision.point)};
  const auto is = [&](Standing standing, std::string why) {
    result.standing = standing;
    result.why = std::move(why);
    return result;
  };
  const auto drifted = [&](const std::string& why) {
    if (tells_enough(times.runs(), site)) return is(Standing::drifted, why);
    return is(Standing::unsure, fmt::format("{}, but of {} only", why, counted(times.runs(), "run")));
  };
  if (times.have_two_modes()) return is(Standing::unsure, "times fall into two groups far apart");
  const auto& [point, hosts, chosen, other] = decision;
  const Plan native = Plan::native(point.collective);
  const double enough = enough_of_a_gain(site);
  const Interval gain = times.ratio(chosen, native);
  if (gain.low > 1) return drifted(takes(chosen, gain, native));
  if (other) {
    const Interval ahead = times.ratio(*other, chosen);
    if (ahead.high < enough && times.ratio(*other, native).high < enough)
      return drifted(takes(*other, ahead, chosen));
  }
  if (chosen.is_native()) return is(Standing::holds, "no plan that was measured is surely faster");
  return is(gain.high < 1 ? Standing::holds : Standing::unsure, takes(chosen, gain, native));
}

// What a table knows of a point, as if it had been tuned now.
std::vector<TunedPoint> points_of(const Table& table, Called called, Placement placement) {
  std::map<Point, TunedPoint> points;
  for (const Decision& decision : decisions_of(table))
    if (decision.point.called() == called && decision.point.ranks == placement.ranks &&
        decision.hosts == placement.hosts)
      points.emplace(decision.point, TunedPoint{decision.point, {}, decision.chosen});
  for (auto& [point, tuned] : points)
    for (const Measurement& m : table.measurements)
      if (is_at(m, point, placement.hosts)) tuned.measurements.push_back(m);
  std::vector<TunedPoint> list;
  for (auto& [point, tuned] : points) list.push_back(std::move(tuned));
  return list;
}

// The rules of just that placement; a set that serves others, too, stays behind it.
RuleSet& own_set(Table& table, Called called, Placement placement) {
  for (RuleSet& set : table.rule_sets)
    if (set.called() == called && set.placement == placement && set.ranks_max == placement.ranks) return set;
  RuleSet own{called.collective, placement, {}, placement.ranks, called.mode};
  return *table.rule_sets.insert(table.rule_sets.begin(), std::move(own));
}

}  // namespace

std::vector<Plan> Decision::plans() const {
  std::vector<Plan> plans{Plan::native(point.collective)};
  if (!chosen.is_native()) plans.push_back(chosen);
  if (runner_up) plans.push_back(*runner_up);
  return plans;
}

std::vector<Decision> decisions_of(const Table& table, int stencil) {
  std::vector<Decision> decisions;
  const BlockLengths lengths = table.origin ? table.origin->lengths : BlockLengths::equal;
  for (const DecidedPoint& decided : decided_points(table)) {
    const Called called = decided.called;
    const auto chosen = make_plan(called.collective, decided.chosen->plan);
    if (!chosen) continue;
    const Point point{
        called.collective, decided.placement.ranks, decided.size, called.mode, stencil, lengths};
    decisions.push_back({point, decided.placement.hosts, *chosen,
                         runner_up(table, point, decided.placement.hosts, decided.chosen->plan)});
  }
  std::ranges::stable_sort(decisions, {}, &Decision::point);
  return decisions;
}

std::string_view name(Standing standing) {
  constexpr std::array<std::string_view, 3> names{"holds", "unsure", "drifted"};
  return names.at(static_cast<std::size_t>(standing));
}

Result<Validated> validate(const Decision& decision, Measurer& measurer, Measurer::Effort effort) {
  const std::vector<Plan> plans = decision.plans();
  auto samples = measurer.measure(decision.point, plans, effort);
  if (!samples) return tl::unexpected(samples.error());
  std::string why = samples->left_out;
  const Times times(plans, std::move(*samples));
  if (!times.complete())
    return Validated{decision, Standing::unsure, why.empty() ? "there was no time to measure it" : why, {}};
  return judged(decision, times, measurer.site());
}

Table repaired(Table table, const std::vector<TunedPoint>& fresh) {
  std::map<std::pair<Called, Placement>, std::vector<const TunedPoint*>> by_set;
  for (const TunedPoint& point : fresh)
    by_set[{point.point.called(), {point.point.ranks, point.measurements.front().hosts}}].push_back(&point);
  for (const auto& [key, renewed] : by_set) {
    const auto& [called, placement] = key;
    const std::vector<TunedPoint> known = points_of(table, called, placement);
    std::map<std::size_t, const TunedPoint*> points;
    for (const TunedPoint& one : known) points[one.point.size] = &one;
    for (const TunedPoint* one : renewed) points[one->point.size] = one;
    std::vector<const TunedPoint*> ascending;
    for (const auto& [size, one] : points) ascending.push_back(one);
    own_set(table, called, placement).rules = rules_from(ascending);
    for (const TunedPoint* one : renewed) {
      std::erase_if(table.measurements,
                    [&](const Measurement& m) { return is_at(m, one->point, placement.hosts); });
      table.measurements.insert(table.measurements.end(), one->measurements.begin(), one->measurements.end());
    }
  }
  return table;
}

}  // namespace tutti::inline choose
