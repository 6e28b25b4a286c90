#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuning/table.hpp"

namespace tutti {

/// What a table says of communicators that were not tuned, but lie between some that were.
struct Between {
  Placement below, above;  ///< those; the same where only the hosts differ
  std::vector<Rule> rules;
};

/// Rules for such communicators, from the tuned ones with the next fewer and next more ranks, on one host if
/// they are, else on several. Where both have the same plan it holds, a grid with extents that suit; where
/// one stays native they do; else the price decides, on links as the table's, or, if that takes long, who is
/// nearer. Nothing where there are none on one side. `setting` is what plans have to serve there.
std::optional<Between> rules_between(const Table& table, Collective collective, Placement placement,
                                     const Setting& setting);

/// "between 64 and 128 ranks", or "like 64 ranks on 4 hosts".
std::string between_text(const Between& between);

/// The plan for such ranks: itself, or, of a grid of two sides, with extents as near in their ratio to its
/// own as can be. Nothing where there is none.
std::optional<Plan> suited(const Plan& plan, const Setting& setting);

}  // namespace tutti
