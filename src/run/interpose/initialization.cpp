// MPI_Init and MPI_Init_thread, in which ranks let each other know that they have Tutti. Without
// that one that has it not, of a wrapper that drops it or a host that lacks the file, would keep
// the others waiting. Where rank 0 has plans for calls that return at once, or learns, all meet
// here: a program may make no other calls.

#undef TUTTI_COUNTS  // no call that profiles tell of
#include "run/interpose/announced.hpp"
#include "run/interpose/any_points.hpp"
#include "run/interpose/presence.hpp"
#include "run/mpi/presence.hpp"
#include "run/mpi/ranks.hpp"
#include "run/process/process.hpp"

using tutti::run::Word;

namespace {

template <typename Pass>
int initialized(Pass&& pass) {
  const int error = tutti::interpose::present(pass);
  if (error == MPI_SUCCESS && tutti::run::meets_at_once &&
      tutti::run::meets_at_once(tutti::run::ranks_of_world()))
    tutti::run::prepare_world();
  return error;
}

}  // namespace

TUTTI_POINT(MPI_Init, 2, 0, tutti::interpose::is_ours(), initialized(pass))
TUTTI_POINT(MPI_Init_thread, 4, 0, tutti::interpose::is_ours(),
            (tutti::interpose::wanted_threads = static_cast<int>(c), initialized(pass)))
