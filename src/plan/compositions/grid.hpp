#pragma once

#include "plan/on_grid.hpp"

namespace tutti {

/// The orthogonal realizations of collectives, which others may stand in for.
const GridKind& grid_kind();

}  // namespace tutti
