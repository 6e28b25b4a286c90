// The entry points with which sessions begin and end. A program that has nothing but sessions is
// served from its first communicator on, until the last of them ends.

#include <mutex>

#undef TUTTI_COUNTS  // no calls that profiles tell of
#include "run/interpose/any_points.hpp"
#include "run/interpose/presence.hpp"
#include "run/mpi/session.hpp"
#include "run/mpi/world.hpp"
#include "run/process/process.hpp"

#ifdef TUTTI_DEFINES_MPI_4
namespace {

using namespace tutti::run;
using tutti::run::Word;

// A session of the program's has begun, or has not.
int begun(int error, MPI_Info wanted, const Session* session) {
  if (error != MPI_SUCCESS) return error;
  static std::mutex noting;
  const std::lock_guard lock(noting);
  ++open_sessions;
  auto level = thread_level_of(*session);
  if (!level) level = thread_level_in(wanted);
  world::threads_of_sessions.perhaps |= level.value_or(MPI_THREAD_MULTIPLE) == MPI_THREAD_MULTIPLE;
  world::threads_of_sessions.surely |= level == MPI_THREAD_MULTIPLE;
  return error;
}

template <typename Pass>
int ended(Pass&& pass) {
  const Blocking ending;
  Process::before(Ending::session);
  --open_sessions;
  const int error = pass();
  if (error != MPI_SUCCESS) ++open_sessions;
  return error;
}

}  // namespace

TUTTI_POINT(MPI_Session_init, 3, 0, !memo.inside && tutti::interpose::is_ours(),
            begun(tutti::interpose::present(pass), a, c))
TUTTI_POINT(MPI_Session_finalize, 1, 0, !memo.inside && tutti::interpose::is_ours(), ended(pass))
#endif
