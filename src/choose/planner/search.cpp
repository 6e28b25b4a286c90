#include "choose/planner/search.hpp"

#include <algorithm>

#include "core/plan/compositions/near.hpp"

namespace tutti::inline choose {

bool Search::ranks_are_near_in_order() {
  if (!near_in_order_) near_in_order_ = ranks_are_in_near_order(space_.setting);
  return *near_in_order_;
}

std::vector<Plan> Search::plans() {
  auto plans = plans_in_own_order(space_.collective, space_.setting);
  if (!ranks_are_near_in_order())
    for (std::size_t i = 0, number = plans.size(); i < number; ++i)
      if (auto near = near_ranks(plans[i]); near && !near->refusal(space_.setting))
        plans.push_back(std::move(*near));
  return plans;
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
