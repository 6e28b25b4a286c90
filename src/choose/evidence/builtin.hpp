#pragma once

#include <string_view>
#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// What names the built-in table where a file's path may stand.
inline constexpr std::string_view builtin_table = "builtin";

/// The built-in rules for a collective on communicators of `ranks` ranks, for operations that
/// commute or not: the cut-offs of Thakur, Rabenseifner and Gropp (2005), which nobody measured
/// here. Empty where they say nothing: such calls stay native.
std::vector<Rule> builtin_rules(Collective collective, int ranks, bool commutative);

}  // namespace tutti::inline choose
