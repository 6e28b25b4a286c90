#pragma once

#include <optional>
#include <vector>

namespace tutti::run {

/// Tells which of `ranks` ranks of MPI_COMM_WORLD run without Tutti, or nothing where that can't be
/// told. It asks nobody who would have to answer: the job's launcher keeps what ranks have said in
/// MPI_Init. Null where Tutti is part of the program, and so of all ranks.
using AbsentRanks = std::optional<std::vector<int>> (*)(int ranks);
inline constinit AbsentRanks absent_ranks = nullptr;

/// The most ranks that are asked for: more would take too long.
inline constexpr int most_ranks_asked_for = 512;

}  // namespace tutti::run
