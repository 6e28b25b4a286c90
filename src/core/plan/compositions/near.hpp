#pragma once

#include <optional>
#include <vector>

#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// The ranks in the order in which near ones are neighbours: of groups, or else of hosts.
std::vector<Rank> near_order(const Setting& setting);
/// Whether near ranks are neighbours by number as they are.
bool ranks_are_in_near_order(const Setting& setting);
/// The plan on ranks in the order in which near ones are neighbours by number. Nothing where the
/// plan is none of a phase.
std::optional<Plan> near_ranks(const Plan& plan);
/// The plan that is carried out so, if one is; else the plan itself.
const Plan& without_near(const Plan& plan);
inline bool is_on_near_ranks(const Plan& plan) {
  return &without_near(plan) != &plan;
}

}  // namespace tutti::inline core
