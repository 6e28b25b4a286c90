#pragma once

#include <array>
#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace tutti {

/// The names of plans made of others.
inline constexpr std::array<std::string_view, 4> composition_names{"grid", "lanes", "via", "split"};

bool is_composition(std::string_view name);

/// A plan's text with "split(auto)" replaced by pieces of so many bytes; as it is if they are 0.
std::string with_pieces(std::string_view text, std::size_t bytes);

/// Makes the composition that a text describes. `text` is all of it, for the errors.
Result<Plan> compose(Collective collective, const PlanSyntax& syntax, std::string_view text);

}  // namespace tutti
