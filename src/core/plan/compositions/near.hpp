#pragma once

#include <optional>

#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// The plan on ranks in the order in which near ones are neighbours by number. Nothing where that
/// is their own order, and where the plan is none of a phase.
std::optional<Plan> near_ranks(const Plan& plan, const Setting& setting);

}  // namespace tutti::inline core
