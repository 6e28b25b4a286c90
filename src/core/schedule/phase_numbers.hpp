#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// The phase of a composition in which each operation is, by rank and operation, the first being 0.
/// A rank may have no part in some, so what counts is with whom it works: those who exchange
/// messages in a phase, or meet in a native one, are in the same, which follows on whatever phase
/// any of them was in before.
std::vector<std::vector<int>> phase_of_operations(const Schedule& schedule);

}  // namespace tutti::inline core
