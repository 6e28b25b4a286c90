#include "choose/planner/search.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "choose/planner/quick_model.hpp"
#include "core/plan/compositions/near.hpp"
#include "core/plan/on_grid.hpp"

namespace tutti::inline choose {

bool Search::ranks_are_near_in_order() {
  if (!near_in_order_) near_in_order_ = ranks_are_in_near_order(space_.setting);
  return *near_in_order_;
}

std::vector<Plan> Search::plans() {
  auto plans = plans_in_own_order(space_.collective, space_.setting);
  if (!ranks_are_near_in_order())
    for (std::size_t i = 0, number = plans.size(); i < number; ++i)
      if (auto near = on_near_ranks(plans[i])) plans.push_back(std::move(*near));
  return plans;
}

std::optional<Plan> Search::on_near_ranks(const Plan& plan) {
  if (ranks_are_near_in_order()) return std::nullopt;
  const Extents* const extents = extents_of(plan);
  if (plan.composition() && (!extents || extents->sides.empty())) return std::nullopt;
  auto near = near_ranks(plan);
  return near && !near->refusal(space_.setting) ? std::move(near) : std::nullopt;
}

std::vector<Plan> Search::plans_cheapest_first(const Network& network) {
  using Place = std::tuple<double, bool, std::size_t>;
  std::vector<Plan> all = plans();
  const Setting& setting = space_.setting;
  if (QuickModel::prices(setting.ranks)) return all;
  QuickModel quick({setting.ranks, setting.hosts ? count(*setting.hosts) : setting.ranks}, setting, &network);
  std::vector<Place> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_quick = setting.ranks <= planner::most_walked_ranks || closed_form(all[i], setting.ranks);
    const auto cost = is_quick ? quick.of(all[i], setting, bytes()) : std::nullopt;
    const double seconds = cost ? cost->seconds : std::numeric_limits<double>::infinity();
    places.emplace_back(seconds, !is_on_near_ranks(all[i]), i);
  }
  std::ranges::sort(places);
  std::vector<Plan> ordered;
  for (const auto& [seconds, own, number] : places) ordered.push_back(std::move(all[number]));
  return ordered;
}

std::vector<Plan> Search::plans_in_own_order(Collective collective, const Setting& setting) const {
  auto plans = known_plans(collective, setting);
  if (setting.ranks > space_.most_walked_ranks) {
    const auto none = [&](const Plan& plan) { return !closed_form(plan, setting.ranks); };
    if (!std::all_of(plans.begin(), plans.end(), none)) std::erase_if(plans, none);
  }
  if (space_.half_performance_length)
    for (Plan& plan : plans_for_network(collective, setting.ranks, *space_.half_performance_length))
      if (!plan.refusal(setting)) plans.push_back(std::move(plan));
  std::erase_if(plans, [&](const Plan& plan) {
    return plan.is_native() || (plan.is_computed() && !space_.computed) ||
           (plan.waits_in_library() && !space_.waiting_in_library);
  });
  return plans;
}

std::vector<CompositionTemplate> Search::compositions() const {
  auto found = templates(space_.collective, space_.setting, space_.pieces);
  std::erase_if(found, [&](const CompositionTemplate& one) { return space_.size > one.most_bytes; });
  return found;
}

std::vector<CostedPlan> Search::costed(std::vector<Plan> plans, const Setting& setting, std::size_t bytes) {
  std::vector<CostedPlan> all;
  for (Plan& plan : plans)
    if (const auto cost = costs_.of(plan, setting, bytes)) all.push_back({std::move(plan), *cost});
  return all;
}

const std::vector<CostedPlan>& Search::algorithms_in(const CompositionTemplate::Slot& slot) {
  const Setting setting{.ranks = slot.ranks, .has_memory = false};
  const auto shares = static_cast<std::size_t>(slot.shares);
  const std::size_t share = space_.shares == PlanSpace::Shares::of_total
                                ? bytes() / shares
                                : total_bytes(slot.collective, setting, space_.size / shares);
  const auto [entry, added] = in_slots_.try_emplace({slot.collective, slot.ranks, share});
  if (added) entry->second = costed(plans_in_own_order(slot.collective, setting), setting, share);
  return entry->second;
}

}  // namespace tutti::inline choose
