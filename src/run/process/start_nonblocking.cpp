#include "run/process/start_nonblocking.hpp"

#include "run/calls/refusal.hpp"
#include "run/calls/reported.hpp"
#include "run/online/measured_requests.hpp"
#include "run/process/process.hpp"
#include "run/requests/pending.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
namespace {

// Whether a call may begin later than the program calls it, when ranks have heard of each other.
bool may_begin_later(Called called, const CommunicatorState& state) {
  return called.mode == Mode::nonblocking && !state.may_be_in_duplication;
}

// What learns of such calls, or holds native against a table's plans for them, if anything does.
Learner* learner_of(Called called, const CommunicatorState& state, const Route& route) {
  Learner* const learner = may_begin_later(called, state) ? state.learner.get() : nullptr;
  const bool learns =
      learner && (route.always_native() ? learner->learns_at_once() : learner->guards_at_once());
  return learns ? learner : nullptr;
}

}  // namespace

Way way_of(Called called, CommunicatorState& state, const Call& call, std::optional<SizeClass> of_request) {
  const Collective collective = called.collective;
  Route& route = state.route(called);
  Learner* const learner = learner_of(called, state, route);
  if (route.always_native() && !learner) return {.natively = &route.decide(0).use};
  Communicator& communicator = state.communicator;
  Way way{.facts = facts_of(collective, communicator, call)};
  if (way.facts.size < 0) return way;  // MPI reports what is wrong
  const OperandOrders operands = orders_of(state, way.facts);
  const bool own = has_own_sizes(collective), decides = own && route.goes_by_size();
  std::optional<SizeClass> calls = own ? of_request : SizeClass::of(static_cast<std::size_t>(way.facts.size));
  const bool tells = own && may_begin_later(called, state) &&
                     (decides ? state.agreement.learns_at_once
                              : learner && learner->concerns(collective, operands, route.decide(0)));
  if (tells) {
    way.is_undecided = !state.sizes->knows_next(called);
    if (way.is_undecided) return way;
    calls = state.sizes->next(called);
  }
  if (decides && !calls) {
    if (tells) state.sizes->count(called, way.facts.own);
    way.natively = &route.native_because("size not known");
    return way;
  }
  if (own && calls) way.facts.size = static_cast<std::ptrdiff_t>(calls->typical());
  const auto size = static_cast<std::size_t>(way.facts.size);
  Decision& untuned = route.decide(size, operands);
  const bool empty = size == 0 && traits(collective).size_means != SizeMeans::nothing;
  if (learner && !empty && !way.facts.whole && learner->concerns(collective, operands, untuned)) {
    if (tells && calls) calls = state.sizes->learnt_as(called, *calls);
    way.tuner = learner->tuner(called, calls, operands, untuned);
    way.is_undecided = way.tuner && !way.tuner->knows_next();
    if (way.is_undecided) return way;
  }
  if (tells) state.sizes->count(called, way.facts.own);
  Decision& decision = way.tuner ? way.tuner->next() : untuned;
  const auto natively = [&](const std::string& why) {
    decision.fell_back = true;
    way.natively = &route.native_because(why);
    return way;
  };
  if (!decision.plan) {
    way.natively = &decision.use;
    return way;
  }
  if (empty) return natively("empty");
  if (!communicator.has_met()) {
    communicator.await_preparation();
    return natively(unprepared);
  }
  if (const std::string why = refusal_of(called, communicator, decision, call, way.facts); !why.empty()) {
    Process::instance()->report_fallback(called, decision.fallback_by(*state.rules), why);
    return natively("fallback: " + why);
  }
  const bool keeps_tags = called.mode == Mode::persistent;
  if (keeps_tags ? !communicator.has_tags_to_keep() : !communicator.has_tags())
    return natively("too few tags");
  if (called.mode == Mode::nonblocking && decision.plan->uses_memory() &&
      !communicator.has_tried_memory_at_once()) {
    communicator.wants_memory_at_once = true;
    communicator.await_preparation();
  }
  way.decision = &decision;
  return way;
}

int start_by(const Way& way, CommunicatorState& state, Called called, const Call& call,
             std::unique_ptr<UserRequest> own, MPI_Request* request) {
  const MPI_Comm comm = state.communicator.user();
  const auto begin = [&] {
    if (way.decision)
      return reported(comm, state.communicator, [&] {
        return start_by_plan(state.communicator, *way.decision, call, way.facts,
                             own ? std::move(own) : make_generalized_request(), request);
      });
    if (way.natively) ++way.natively->calls;
    return start_natively(called.collective, comm, call, request);
  };
  if (!way.tuner || !way.tuner->is_measured()) return begin();
  const double begun = PMPI_Wtime();
  const int error = begin();
  way.tuner->took(PMPI_Wtime() - begun);
  return error;
}

namespace {

template <Collective collective>
int start_here(MPI_Comm comm, const Call& call, MPI_Request* request) {
  constexpr Called called{collective, Mode::nonblocking};
  CommunicatorState* state = find_known(comm);
  const bool lacks_topology = state && state->lacks_topology_for(collective);
  // Nothing but its order is known of a call that lacks neighbours, or is a mistake.
  if (state && traits(collective).on_neighbors && !state->communicator.topology()) begin_held_calls_of(comm);
  const bool waits = state && state->held_back.any();
  if (lacks_topology) {
    state->communicator.await_preparation();
    state = nullptr;
  }
  if (!state) {
    Process* process = memo.inside ? nullptr : Process::instance();
    if (process) process->count_unprepared(called);
    return start_natively(collective, comm, call, request);
  }
  const Inside inside;
  state->sees_at_once |= state->learner && state->learner->learns_at_once();
  const Way way = waits ? Way{.is_undecided = true} : way_of(called, *state, call);
  if (way.is_undecided) return state->held_back.add(called, call, request);
  const int error = start_by(way, *state, called, call, nullptr, request);
  if (error == MPI_SUCCESS && way.tuner && way.tuner->is_measured())
    MeasuredRequests::instance().add(*request, *way.tuner, way.tuner->batch());
  return error;
}

}  // namespace

template <Collective collective>
int start(MPI_Comm comm, const Call& call, MPI_Request* request) {
  return guarded(comm, [&] { return start_here<collective>(comm, call, request); });
}

int start_by_plan(Communicator& communicator, Decision& decision, const Call& call, const CallFacts& facts,
                  std::unique_ptr<UserRequest> own, MPI_Request* request) {
  const auto pending = std::make_shared<Pending>(communicator, decision, call, facts.commutative, facts.size,
                                                 communicator.next_tags(), Mode::nonblocking, std::move(own));
  const int error = begin(pending);
  if (error == MPI_SUCCESS) *request = pending->request();
  return error;
}

#define TUTTI_INSTANCE(name, ...) template int start<Collective::name>(MPI_Comm, const Call&, MPI_Request*);
TUTTI_COLLECTIVES(TUTTI_INSTANCE)
#undef TUTTI_INSTANCE

}  // namespace tutti::run
