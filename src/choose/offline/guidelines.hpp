#pragma once

#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// A collective of the library's that is slower than others of its own that do the same.
struct ViolatedGuideline {
  Measurement native;
  Measurement mended;  ///< by the way of those others
};

/// All of them among a table's measurements: the interval of the ratio lies below 1, by enough to
/// matter. Source: Träff, Gropp, Thakur, Self-consistent MPI Performance Guidelines, 2010.
std::vector<ViolatedGuideline> violated_guidelines(const Table& table);

}  // namespace tutti::inline choose
