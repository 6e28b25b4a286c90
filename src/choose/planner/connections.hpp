#pragma once

#include <cstddef>

#include "core/plan/plan.hpp"

namespace tutti::inline choose {

/// Whether a plan needs few connections between hosts beside those that the algorithms with
/// logarithmically many rounds share: to ranks a power of two away. A connection lasts as long as
/// the program, and libraries that look at all of them whenever they wait get slower with each.
/// `bytes` is the whole vector. A plan on near ranks counts as the one that it carries out: its
/// ranks are a power of two away in that order, and all such plans share their connections.
bool stays_near(const Plan& plan, const Setting& setting, std::size_t bytes);

/// What a rank exchanges with other places than its own, in vectors, on the average of some ranks,
/// which stand for all. Places are groups or hosts, by rank.
double share_that_leaves(const Plan& plan, const Setting& setting, std::size_t bytes, const Hosts& places);

}  // namespace tutti::inline choose
