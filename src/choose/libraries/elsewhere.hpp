#pragma once

#include <string>
#include <vector>

#include "choose/evidence/table.hpp"

namespace tutti::inline choose {

/// What a table's decisions are in the words of a library that has algorithms of its own, but no
/// way to measure them by Tutti.
struct ToldElsewhere {
  std::vector<std::string> variables;  ///< "NAME=VALUE", each for one operation or library
  std::vector<std::string> without;    ///< decisions that have no counterpart there, in words
};

/// Intel MPI's I_MPI_ADJUST_ variables. Numbers are those of algorithms in Intel's reference; an
/// algorithm that it only names, such as Shumilin's, is nobody's counterpart. What stays native is
/// left to Intel MPI. Where a number of ranks was tuned on several numbers of hosts, those on the
/// most count, for conditions there know ranks only.
///
/// Source: Intel MPI Library Developer Reference, I_MPI_ADJUST Family Environment Variables (2019
/// to 2021.12; later ones call the numbers presets).
ToldElsewhere intel_adjust(const Table& table);

/// UCC's score string for its layer over UCX, UCC_TL_UCP_TUNE, and the radices of its k-nomial
/// algorithms, which it has one of for all sizes: decisions with another radix have no counterpart.
/// It counts bytes of the blocks of all ranks together.
///
/// Source: UCC, docs/user_guide.md, src/components/tl/ucp, src/utils/ucc_coll_utils.c
/// (ucc_coll_args_msgsize).
ToldElsewhere ucc_tune(const Table& table);

}  // namespace tutti::inline choose
