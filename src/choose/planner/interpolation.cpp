#include "choose/planner/interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/duration.hpp"
#include "base/share.hpp"
#include "base/size.hpp"
#include "choose/evidence/call_class.hpp"
#include "choose/planner/estimates.hpp"
#include "choose/planner/search.hpp"
#include "core/network/by_hosts.hpp"
#include "core/network/in_groups.hpp"
#include "core/plan/on_grid.hpp"

namespace tutti::inline choose {
namespace {

bool is_on_one_host(Placement placement) {
  return placement.hosts == 1;
}

double distance(int a, int b) {
  return std::abs(std::log(static_cast<double>(a) / b));
}

// The tuned communicators next to the wanted one: fewer ranks and more, the hosts' number as near
// as can be. One host is another machine than several: it is a neighbour only where prices are to
// decide, these know both kinds of links, and no other is.
struct Neighbours {
  const RuleSet *below = nullptr, *above = nullptr;
};
Neighbours neighbours(const Table& table, Collective collective, Placement wanted) {
  Neighbours found;
  const bool others_serve = table.model && knows_both_kinds_of_links(*table.model);
  const auto is_like = [wanted](const RuleSet& set) {
    return is_on_one_host(set.placement) == is_on_one_host(wanted);
  };
  const auto nearer = [&](const RuleSet* known, const RuleSet& other) {
    if (!known) return true;
    if (is_like(*known) != is_like(other)) return is_like(other);
    const int a = std::abs(other.placement.ranks - wanted.ranks),
              b = std::abs(known->placement.ranks - wanted.ranks);
    return a != b ? a < b
                  : distance(other.placement.hosts, wanted.hosts) <
                        distance(known->placement.hosts, wanted.hosts);
  };
  for (const RuleSet& set : table.rule_sets) {
    if (set.collective != collective || set.mode != Mode::blocking ||
        set.placement.hosts == RuleSet::any_hosts || (!others_serve && !is_like(set)))
      continue;
    if (set.placement.ranks <= wanted.ranks && nearer(found.below, set)) found.below = &set;
    if (set.placement.ranks >= wanted.ranks && nearer(found.above, set)) found.above = &set;
  }
  return found;
}

// The likes of the plans of rules at a size and beside it.
void collect(const std::vector<Rule>& rules, std::size_t size, const Setting& setting,
             std::vector<Plan>& plans) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool is_near =
        (i == 0 || rules[i - 1].size_min <= size) && (i + 1 == rules.size() || size <= rules[i + 1].size_max);
    if (!is_near || rules[i].plan.is_native()) continue;
    for (Plan& plan : likes(rules[i].plan, setting))
      if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(std::move(plan));
  }
}

// All ways to write a number as a product of `factors` factors of at least two.
void factorize(int number, std::size_t factors, std::vector<int>& chosen,
               std::vector<std::vector<int>>& all) {
  if (factors == 1) {
    if (number < 2) return;
    all.push_back(chosen);
    all.back().push_back(number);
    return;
  }
  for (int factor = 2; factor <= number / 2; ++factor) {
    if (number % factor != 0) continue;
    chosen.push_back(factor);
    factorize(number / factor, factors - 1, chosen, all);
    chosen.pop_back();
  }
}

// How far extents are from others in their ratios. Of two that are as far the one that keeps the
// last, often the ranks of a host.
std::pair<long, bool> distance(const std::vector<int>& extents, const std::vector<int>& wanted,
                               double scale) {
  double far = 0;
  for (std::size_t i = 0; i < extents.size(); ++i)
    far += std::abs(std::log(extents[i] / (wanted[i] * scale)));
  return {std::lround(far * 1e6), extents.back() != wanted.back()};
}

}  // namespace

std::vector<Plan> likes(const Plan& plan, const Setting& setting) {
  const Extents* extents = extents_of(plan);
  if (!extents || extents->sides.empty())
    return plan.refusal(setting) ? std::vector<Plan>() : std::vector{plan};
  const std::vector<int>& wanted = extents->sides;
  double product = 1;
  for (const int extent : wanted) product *= extent;
  const double scale = std::pow(setting.ranks / product, 1.0 / static_cast<double>(wanted.size()));
  std::vector<std::vector<int>> all;
  std::vector<int> chosen;
  factorize(setting.ranks, wanted.size(), chosen, all);
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return distance(a, wanted, scale) < distance(b, wanted, scale);
  });
  std::vector<Plan> found;
  const auto take = [&](const Extents& others) {
    auto like = with_extents(plan, others);
    if (like && !like->refusal(setting) && std::find(found.begin(), found.end(), *like) == found.end())
      found.push_back(std::move(*like));
  };
  const auto add = [&](const auto& serves) {
    const auto sides = std::find_if(all.begin(), all.end(), serves);
    if (sides != all.end()) take(Extents::of_sides(*sides));
  };
  add([](const std::vector<int>&) { return true; });
  add([&](const std::vector<int>& sides) { return sides.back() == std::gcd(wanted.back(), setting.ranks); });
  add([&](const std::vector<int>& sides) {
    return sides.front() == std::gcd(wanted.front(), setting.ranks);
  });
  if (wanted.size() == 2 && setting.hosts && count(*setting.hosts) > 1) take(Extents::by_hosts());
  return found;
}

std::optional<Plan> suited(const Plan& plan, const Setting& setting) {
  const auto found = likes(plan, setting);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

Interpolation::Interpolation(const RuleSet& below, const RuleSet& above, const Table& table,
                             Placement placement, const Setting& setting)
    : below_(&below),
      above_(&above),
      setting_(setting),
      network_(network_in_groups(table.model ? *table.model : Network::uniform(table.network),
                                 setting.hosts ? *setting.hosts : Hosts(), setting.groups)) {
  if (table.origin) setting_.lengths = table.origin->lengths;
  // Without a size there is nothing to price.
  if (table.model && (below.collective == Collective::barrier || has_sizes()))
    estimates_ = std::make_shared<Estimates>(table, below.collective, placement);
  measurements_damaged_ = estimates_ && !table.complaint().empty();
}

std::optional<Interpolation> Interpolation::find(const Table& table, Collective collective,
                                                 Placement placement, const Setting& setting) {
  const Neighbours of = neighbours(table, collective, placement);
  if (!of.below || !of.above) return std::nullopt;
  return Interpolation(*of.below, *of.above, table, placement, setting);
}

std::string Interpolation::text() const {
  const std::string between =
      below().ranks == above().ranks
          ? fmt::format("like {} ranks on {}", below().ranks, counted(below().hosts, "host"))
          : fmt::format("between {} and {} ranks", below().ranks, above().ranks);
  return measurements_damaged_ ? between + ", measurements damaged" : between;
}

std::vector<std::size_t> Interpolation::ends() const {
  std::vector<std::size_t> ends{unlimited};
  std::size_t last = 0;  // where a tuned plan ends
  for (const RuleSet* set : {below_, above_})
    for (const Rule& rule : set->rules) {
      ends.push_back(rule.size_max);
      if (rule.size_min > 0) ends.push_back(rule.size_min - 1);
      if (!rule.plan.is_native() && rule.size_max != unlimited) last = std::max(last, rule.size_max);
    }
  if (estimates_ && has_sizes())
    for (double size = planner::shortest_stretch; size < static_cast<double>(last); size *= planner::stretch)
      ends.push_back(static_cast<std::size_t>(size));
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

// Whether decisions go by a size: where each rank knows its own, not if tuned communicators have
// one plan for all.
bool Interpolation::has_sizes() const {
  if (has_own_sizes(below_->collective)) return below_->goes_by_size() || above_->goes_by_size();
  return traits(below_->collective).size_means != SizeMeans::nothing;
}

// A size that stands for the others of its stretch.
std::size_t Interpolation::typical(std::size_t size) const {
  const auto ends = this->ends();
  const auto end = std::lower_bound(ends.begin(), ends.end(), size);
  const std::size_t begin = end == ends.begin() ? 0 : *std::prev(end) + 1;
  return *end == unlimited ? std::max(size, 2 * begin) : begin + (*end - begin) / 2;
}

Interpolation::Choice Interpolation::choose(std::size_t any_size) const {
  const std::size_t size = typical(any_size);
  const Plan native = Plan::native(below_->collective);
  const Rule *below = below_->find(size), *above = above_->find(size);
  if (!below || !above) return {native, "no rule"};
  const auto low = suited(below->plan, setting_), high = suited(above->plan, setting_);
  const bool same = low && high && *low == *high;
  const bool one_is_native = below->plan.is_native() || above->plan.is_native();
  const auto without_prices = [&]() -> Choice {
    if (same) return {*low, "both have it"};
    if (one_is_native || (!low && !high)) return {native, "one of them stays native"};
    if (!low || !high) return {low ? *low : *high, "the other's serves no such ranks"};
    const bool below_is_nearer = distance(below_->placement.ranks, setting_.ranks) <=
                                 distance(above_->placement.ranks, setting_.ranks);
    return {below_is_nearer ? *low : *high, "the nearer one's"};
  };

  EventModel prices(network_, {.operations_of_a_plan = planner::operations_of_a_plan_between,
                               .operations = planner::operations_between});
  Search search({.collective = below_->collective, .setting = setting_, .size = size}, prices);
  std::vector<Plan> plans;
  if (!estimates_) {
    if (same || one_is_native) return without_prices();
    for (const auto& plan : {low, high})
      if (plan) plans.push_back(*plan);
  } else {
    for (const RuleSet* set : {below_, above_}) collect(set->rules, size, setting_, plans);
    for (Plan& plan : search.plans_cheapest_first(network_))
      if (std::find(plans.begin(), plans.end(), plan) == plans.end()) plans.push_back(std::move(plan));
  }
  std::erase_if(plans, [](const Plan& plan) { return plan.is_computed() || plan.has_native_phases(); });
  const Plan* best = nullptr;
  double best_s = 0, held_s = 0;
  for (const Plan& plan : plans)
    if (const auto cost = search.cost(plan)) {
      if (!best || cost->seconds < best_s) {
        best = &plan;
        best_s = cost->seconds;
      }
      if (same && plan == *low) held_s = cost->seconds;
    }
  if (!best) return without_prices();
  if (!estimates_) return {*best, fmt::format("priced {}", time_text(best_s))};

  const double margin = 1 + estimates_->margin(), corrected = estimates_->correction(size);
  if (same && held_s == 0) return without_prices();
  if (same && best_s * margin >= held_s) {
    best = &*low;
    best_s = held_s;
  }
  const auto native_s = estimates_->native(size);
  const bool is_held = same && *best == *low;
  if (!native_s)
    return is_held || one_is_native ? without_prices()
                                    : Choice{*best, fmt::format("priced {}", time_text(best_s))};
  best_s *= corrected;
  const bool gains = is_held ? best_s < *native_s : best_s * margin < *native_s;
  return {gains ? *best : native,
          fmt::format("{} priced {}, native about {}, margin {}", best->text(), time_text(best_s),
                      time_text(*native_s), share_text(margin - 1))};
}

}  // namespace tutti::inline choose
