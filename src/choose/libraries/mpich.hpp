#pragma once

#include "choose/libraries/library_rules.hpp"

namespace tutti::inline choose {

/// The algorithms of a collective by MPICH's names that go by no further parameters and serve calls
/// of all kinds: what MPIR_CVAR_*_INTRA_ALGORITHM may be, versions differ.
std::vector<std::string_view> mpich_algorithms(Collective collective);
/// Why one of them does not serve so many ranks, or calls as plans make them, for which MPICH takes
/// another one, or ends the program; empty: nothing is known against it.
std::string mpich_refusal(Collective collective, const std::string& algorithm, int ranks);

/// The file that MPICH (4.0 and later) reads as MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE: a tree
/// of conditions with algorithms at its leaves. It stands for all that the library would choose by
/// itself, so it needs that choice: `own` is the library's tree, as its shared library carries it.
/// Rules come in front of it, for exactly their numbers of ranks; gather and scatter are left out,
/// whose sizes MPICH counts in elements, and algorithms that do not serve all calls are put behind
/// the conditions they need.
///
/// Source: MPICH, src/mpi/coll/src/csel.c and maint/tuning/coll/mpir/generic.json.
Result<std::string> mpich_json(const std::vector<LibraryRules>& rules, const std::string& own);

/// The file that MPICH's device ch4 reads as MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE: which
/// combination of others carries out a call. By itself it combines calls between hosts of calls
/// within them, for which the other file's rules do not hold. Calls with rules are handed on as
/// they are, all others are left as in `own`, the device's tree.
///
/// Source: MPICH, src/mpid/ch4/src/ch4_coll.h and maint/tuning/coll/ch4/generic.json.
Result<std::string> mpich_device_json(const std::vector<LibraryRules>& rules, const std::string& own);

/// The library's own tree in the bytes of its shared library (libmpich.so).
Result<std::string> mpich_own_tree(const std::string& library, const std::string& source);
/// That of its device; nothing where there is none (ch3).
std::optional<std::string> mpich_device_tree(const std::string& library);

/// What such a file says of intracommunicators of each number of `ranks`, one on each host, for
/// predefined operations, buffers that are not in place, and vectors of at least as many elements
/// as ranks.
Result<std::vector<LibraryRules>> parse_mpich_json(const std::string& text, const std::vector<int>& ranks,
                                                   const std::string& source);

}  // namespace tutti::inline choose
