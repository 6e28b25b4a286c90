#include "run/process/start_nonblocking.hpp"

#include "run/calls/refusal.hpp"
#include "run/calls/reported.hpp"
#include "run/process/process.hpp"
#include "run/requests/pending.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
Way way_of(Called called, CommunicatorState& state, const Call& call) {
  const Collective collective = called.collective;
  Route& route = state.route(called);
  if (route.always_native()) return {.natively = &route.decide(0).use};
  Communicator& communicator = state.communicator;
  Way way{.facts = facts_of(collective, communicator, call)};
  if (way.facts.size < 0) return way;  // MPI reports what is wrong
  const OperandOrders operands = orders_of(state, way.facts);
  const auto size = static_cast<std::size_t>(way.facts.size);
  Decision& decision = route.decide(size, operands);
  const auto natively = [&](const std::string& why) {
    way.natively = &route.native_because(why);
    return way;
  };
  if (!decision.plan) return {.natively = &decision.use};
  if (size == 0 && traits(collective).size_means != SizeMeans::nothing) return natively("empty");
  if (!communicator.has_met()) {
    state.is_unprepared = true;
    return natively(unprepared);
  }
  if (const std::string why = refusal_of(called, communicator, decision, call, way.facts); !why.empty()) {
    Process::instance()->report_fallback(called, state.rules->fallback, why);
    return natively("fallback: " + why);
  }
  if (!communicator.has_tags()) return natively("too few tags");
  way.decision = &decision;
  return way;
}

namespace {

template <Collective collective>
int start_here(MPI_Comm comm, const Call& call, MPI_Request* request) {
  constexpr Called called{collective, Mode::nonblocking};
  CommunicatorState* state = find_known(comm);
  if (state && state->lacks_topology_for(collective)) {
    state->is_unprepared = true;
    state = nullptr;
  }
  if (!state) {
    Process* process = memo.inside ? nullptr : Process::instance();
    if (process) process->count_unprepared(called);
    return start_natively(collective, comm, call, request);
  }
  const Inside inside;
  const Way way = way_of(called, *state, call);
  if (way.decision)
    return reported(comm, state->communicator, [&] {
      return start_by_plan(state->communicator, *way.decision, call, way.facts, request);
    });
  if (way.natively) ++way.natively->calls;
  return start_natively(collective, comm, call, request);
}

}  // namespace

template <Collective collective>
int start(MPI_Comm comm, const Call& call, MPI_Request* request) {
  return guarded(comm, [&] { return start_here<collective>(comm, call, request); });
}

int start_by_plan(Communicator& communicator, Decision& decision, const Call& call, const CallFacts& facts,
                  MPI_Request* request) {
  const auto pending =
      std::make_shared<Pending>(communicator, decision, call, facts.commutative, facts.size,
                                communicator.next_tags(), Mode::nonblocking, make_generalized_request());
  const int error = begin(pending);
  if (error == MPI_SUCCESS) *request = pending->request();
  return error;
}

#define TUTTI_INSTANCE(name, ...) template int start<Collective::name>(MPI_Comm, const Call&, MPI_Request*);
TUTTI_COLLECTIVES(TUTTI_INSTANCE)
#undef TUTTI_INSTANCE

}  // namespace tutti::run
