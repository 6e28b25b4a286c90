#pragma once

#include <string>
#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// Reads the plans that a variable forces: a plan for all sizes, or several with ranges of sizes,
/// "0-4K=binomial; 64K-=scatter_allgather; circulant". A range has both its ends, in bytes
/// (CollectiveTraits::size_means); without a range a plan is for all sizes. The first one that has
/// a size serves it. Errors name the range or plan that is wrong.
Result<std::vector<Rule>> parse_forced_plans(Collective collective, const std::string& text);

}  // namespace tutti::inline choose
