#include "run/process/init_persistent.hpp"

#include "run/calls/reported.hpp"
#include "run/process/process.hpp"
#include "run/process/start_nonblocking.hpp"
#include "run/requests/persistent.hpp"

namespace tutti::run {
namespace {

template <Collective collective>
int init_here(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request) {
  constexpr Called called{collective, Mode::persistent};
  const auto natively = [&] { return init_natively(collective, comm, call, info, request); };
  CommunicatorState* state = attach_once(comm);
  if (!state) return natively();
  const Inside inside;
  if (state->communicator.is_awaited) state->meet();
  if (!state->only_native && !state->route(called).always_native()) state->prepare();
  Way way = way_of(called, *state, call);
  auto user_request = way.decision ? make_restartable_request() : nullptr;
  if (way.decision && !user_request) {
    way.decision = nullptr;
    way.natively = &state->route(called).native_because("no request");
  }
  if (!way.decision) {
    if (way.natively) ++way.natively->calls;
    return natively();
  }
  Communicator& communicator = state->communicator;
  const auto pending =
      std::make_shared<Pending>(communicator, *way.decision, call, way.facts.commutative, way.facts.size,
                                communicator.keep_tags(), called.mode, std::move(user_request));
  *request = pending->request();
  keep_persistent(pending, [](Communicator& freed) { Process::instance()->release(freed); });
  return MPI_SUCCESS;
}

}  // namespace

template <Collective collective>
int init(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request) {
  return guarded(comm, [&] { return init_here<collective>(comm, call, info, request); });
}

#define TUTTI_INSTANCE(name, ...) \
  template int init<Collective::name>(MPI_Comm, const Call&, MPI_Info, MPI_Request*);
TUTTI_COLLECTIVES(TUTTI_INSTANCE)
#undef TUTTI_INSTANCE

}  // namespace tutti::run
