// MPI_Init and MPI_Init_thread, in which ranks let each other know that they have Tutti. Without
// that one that has it not, of a wrapper that drops it or a host that lacks the file, would keep
// the others waiting.

#undef TUTTI_COUNTS  // no call that profiles tell of
#include "run/interpose/any_points.hpp"
#include "run/interpose/presence.hpp"

using tutti::interpose::present;
using tutti::run::Word;

TUTTI_POINT(MPI_Init, 2, 0, tutti::interpose::is_ours(), present(pass))
TUTTI_POINT(MPI_Init_thread, 4, 0, tutti::interpose::is_ours(), present(pass))
