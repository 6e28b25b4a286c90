#pragma once

#include "choose/evidence/measurer.hpp"

namespace tutti::inline choose {

/// Makes plans of what a table knows of the MPI library's own algorithms (`Table::library`), Open
/// MPI's or MPICH's: at a point of a regular operation whose plan surely takes longer than one of
/// them, and native surely longer by enough, that one is the plan, and what it took is a
/// measurement as others are. `fixed_order`: reductions are left as they are, for nobody knows the
/// order in which such an algorithm combines operands.
void decide_on_own_algorithms(Table& table, const Site& site, bool fixed_order);

}  // namespace tutti::inline choose
