#pragma once

#include "choose/libraries/library_rules.hpp"

namespace tutti::inline choose {

/// The file that MPICH (4.0 and later) reads as MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE: a tree
/// of conditions with algorithms at its leaves. It stands for all that the library would choose by
/// itself, so it needs that choice: `own` is the library's tree, as its shared library carries it.
/// Rules come in front of it, for exactly their numbers of ranks; gather and scatter are left out,
/// whose sizes MPICH counts in elements, and algorithms that do not serve all calls are put behind
/// the conditions they need.
///
/// Source: MPICH, src/run/mpi/coll/src/csel.c and maint/tuning/coll/mpir/generic.json.
Result<std::string> mpich_json(const std::vector<LibraryRules>& rules, const std::string& own);

/// The library's own tree in the bytes of its shared library (libmpich.so).
Result<std::string> mpich_own_tree(const std::string& library, const std::string& source);

/// What such a file says of intracommunicators of each number of `ranks`, one on each host, for
/// predefined operations, buffers that are not in place, and vectors of at least as many elements
/// as ranks.
Result<std::vector<LibraryRules>> parse_mpich_json(const std::string& text, const std::vector<int>& ranks,
                                                   const std::string& source);

}  // namespace tutti::inline choose
