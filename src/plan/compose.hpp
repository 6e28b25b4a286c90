#pragma once

#include <array>
#include <string_view>

#include "plan/plan.hpp"

namespace tutti {

/// The names of plans made of others.
inline constexpr std::array<std::string_view, 4> composition_names{"grid", "lanes", "via", "split"};

bool is_composition(std::string_view name);

/// Makes the composition that a text describes. `text` is all of it, for the errors.
Result<Plan> compose(Collective collective, const PlanSyntax& syntax, std::string_view text);

}  // namespace tutti
