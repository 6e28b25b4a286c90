#pragma once

#include <optional>
#include <vector>

namespace tutti::run {

/// Tells which of `ranks` ranks of MPI_COMM_WORLD run without Tutti, or nothing where that can't be
/// told. It asks nobody who would have to answer: the job's launcher keeps what ranks have said in
/// MPI_Init. Null where Tutti is part of the program, and so of all ranks.
using AbsentRanks = std::optional<std::vector<int>> (*)(int ranks);
inline constinit AbsentRanks absent_ranks = nullptr;

/// Whether rank 0 has said in MPI_Init that plans are named for calls that return at once, in which
/// ranks can't agree, or that such calls may be learnt of: then all of the `ranks` ranks agree
/// before MPI_Init returns. False where `absent_ranks` tells nothing.
using MeetsAtOnce = bool (*)(int ranks);
inline constinit MeetsAtOnce meets_at_once = nullptr;

/// What a rank says in MPI_Init.
enum class Announced { presence = 1, meeting = 2 };

/// The most ranks that are asked for: more would take too long.
inline constexpr int most_ranks_asked_for = 512;

}  // namespace tutti::run
