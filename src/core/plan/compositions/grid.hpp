#pragma once

#include "core/plan/on_grid.hpp"

namespace tutti::inline core {

/// The orthogonal realizations of collectives, which others may stand in for.
const GridKind& grid_kind();

}  // namespace tutti::inline core
