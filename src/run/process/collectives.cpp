#include "run/process/collectives.hpp"

#include <optional>

#include "run/calls/call_size.hpp"
#include "run/calls/carry_out.hpp"
#include "run/calls/refusal.hpp"
#include "run/calls/reported.hpp"
#include "run/process/known_calls.hpp"
#include "run/process/process.hpp"
#include "run/requests/progress.hpp"

namespace tutti::run {
namespace {

// Serves a call by the MPI library.
int natively(Collective collective, MPI_Comm comm, const Call& call) {
  const Blocking here(comm);
  return run_natively(collective, comm, call);
}

// Runs something and counts it.
template <typename Run>
int counted(Use& use, std::ptrdiff_t size, Run&& run) {
  ++use.calls;
  if (!timing) return run();
  const double begin = PMPI_Wtime();
  const int error = run();
  use.seconds += PMPI_Wtime() - begin;
  use.bytes += static_cast<std::uint64_t>(size);
  return error;
}

// Serves a call natively that a plan can't serve, counted and reported; or fails, if the rules want
// that.
int fall_back(MPI_Comm comm, CommunicatorState& state, Decision& decision, Collective collective,
              const Call& call, std::ptrdiff_t size, const std::string& reason) {
  decision.fell_back = true;
  const Fallback fallback = decision.fallback_by(*state.rules);
  Process::instance()->report_fallback(Called{collective}, fallback, reason);
  if (fallback == Fallback::error) {
    PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
  return counted(state.route(collective).native_because("fallback: " + reason), size,
                 [&] { return natively(collective, comm, call); });
}

// Runs a call by a plan; `bound` takes what it was bound to.
[[gnu::noinline]] int run_plan(MPI_Comm comm, CommunicatorState& state, Decision& decision, const Call& call,
                               CallFacts facts, const DeviceLibrary* device, BoundCall* bound) {
  const Plan& plan = *decision.plan;
  const Collective collective = plan.collective();
  Communicator& communicator = state.communicator;
  const auto size = facts.size;
  const bool commutative = facts.commutative;
  if (const std::string why = refusal_of(Called{collective}, communicator, decision, call, facts);
      !why.empty())
    return fall_back(comm, state, decision, collective, call, size, why);
  if (!communicator.meet())
    return fall_back(comm, state, decision, collective, call, size, no_communicator_left);
  try {
    return reported(comm, communicator, [&] {
      if (plan.is_computed() && communicator.adapt()) Process::instance()->report_adaptation();
      const int error = counted(decision.use, size, [&] {
        return carry_out(communicator, plan, call, commutative, device ? nullptr : bound, device);
      });
      if (communicator.has_news_of_memory()) Process::instance()->report_memory(communicator);
      return error;
    });
  } catch (const NotHad& reason) {
    --decision.use.calls;
    decision.refusals.fill(reason.why);
    return fall_back(comm, state, decision, collective, call, size, reason.why);
  }
}

// Serves a call of which it was decided what happens.
template <Collective collective>
int serve(MPI_Comm comm, CommunicatorState& state, Decision& decision, const Call& call, CallFacts facts,
          BoundCall* bound) {
  if (!decision.plan)
    return counted(decision.use, facts.size, [&] { return natively(collective, comm, call); });
  const DeviceLibrary* device = loaded_device_library();
  if (bound && !device && bound->is_by(*decision.plan, state.communicator))
    return reported(comm, state.communicator, [&] {
      return counted(decision.use, facts.size, [&] { return bound->run(state.communicator, call); });
    });
  return run_plan(comm, state, decision, call, facts, device, bound);
}

// Serves a call that belongs to a class tuner.
template <Collective collective>
int serve_as_learnt(MPI_Comm comm, CommunicatorState& state, ClassTuner& tuner, const Call& call,
                    CallFacts facts, BoundCall* bound) {
  Decision& decision = [&]() -> Decision& {
    const Blocking agreeing(comm);
    return tuner.next();
  }();
  if (!tuner.is_measured()) return serve<collective>(comm, state, decision, call, facts, bound);
  const double begin = PMPI_Wtime();
  const int error = serve<collective>(comm, state, decision, call, facts, bound);
  tuner.took(PMPI_Wtime() - begin);
  return error;
}

// Runs something and adds it to the record, if there is one.
template <typename Run>
int profiled(CallRecord* record, std::ptrdiff_t size, Run&& run) {
  if (!record) return run();
  const std::uint64_t begin = ticks();
  const int error = run();
  record->add(ticks() - begin, size);
  return error;
}

template <Collective collective>
int serve(MPI_Comm comm, CommunicatorState& state, const KnownCall& of, const Call& call, BoundCall* bound) {
  return profiled(of.record, of.facts.size, [&] {
    if (of.tuner) return serve_as_learnt<collective>(comm, state, *of.tuner, call, of.facts, bound);
    return serve<collective>(comm, state, *of.decision, call, of.facts, bound);
  });
}

// The size that ranks take a call to have of which each knows its own, where a decision or learning
// goes by it; the call is counted then. Collective now and then.
std::optional<SizeClass> agreed_size(MPI_Comm comm, CommunicatorState& state, Collective collective,
                                     Route& route, const CallFacts& facts, OperandOrders operands) {
  const Called called{collective};
  const bool decides = route.goes_by_size();
  if (!decides && !(state.learner && state.learner->concerns(collective, operands, route.decide(0))))
    return std::nullopt;
  const auto next = [&] {
    return decides ? state.sizes->next_agreed(collective, facts.own) : state.sizes->next(called);
  };
  const auto next_of_all = [&] {
    const Blocking agreeing(comm);
    return next();
  };
  const auto size = state.sizes->is_due(collective) ? next_of_all() : next();
  state.sizes->count(called, facts.own);
  return size;
}

// Serves a call as the interposed entry point gets it.
template <Collective collective>
int serve(MPI_Comm comm, const Call& call) {
  CommunicatorState* state = attach_once(comm);
  if (!state) return natively(collective, comm, call);
  const Inside inside;
  if (state->communicator.is_awaited) [[unlikely]]
    state->meet();
  if (KnownCall* known = state->calls.find(collective, call))
    return serve<collective>(comm, *state, *known, call, &known->bound);
  Route& route = state->route(collective);
  Learner* const learner = state->learner.get();
  const bool always_native =
      route.always_native() && !learner && ((!timing && !state->profile) || state->only_native);
  if (always_native && !state->profile)
    return serve<collective>(comm, *state, route.decide(0), call, CallFacts{0}, nullptr);
  KnownCall found{.decision = &route.decide(0)};
  const auto record = [&] {
    found.record = !state->profile
                       ? nullptr
                       : &state->profile->record(collective, found.facts.size, found.decision, found.tuner);
  };
  if (always_native) {
    record();
    return serve<collective>(comm, *state, found, call, nullptr);
  }
  CallFacts& facts = found.facts;
  facts = facts_of(collective, state->communicator, call);
  if (facts.size < 0) return natively(collective, comm, call);  // MPI reports what is wrong
  const OperandOrders operands = orders_of(*state, facts);
  std::optional<SizeClass> calls = SizeClass::of(static_cast<std::size_t>(facts.size));
  if (has_own_sizes(collective)) {
    calls = agreed_size(comm, *state, collective, route, facts, operands);
    if (calls) facts.size = static_cast<std::ptrdiff_t>(calls->typical());
  }
  const auto size = static_cast<std::size_t>(facts.size);
  found.decision = &route.decide(size, operands);
  const bool empty = size == 0 && traits(collective).size_means != SizeMeans::nothing;
  if (learner && !empty && !facts.whole && learner->concerns(collective, operands, *found.decision)) {
    if (has_own_sizes(collective) && calls) calls = state->sizes->learnt_as(Called{collective}, *calls);
    found.tuner = learner->tuner(Called{collective}, calls, operands, *found.decision);
  }
  record();
  if (empty && found.decision->plan)
    return profiled(found.record, 0, [&] {
      return counted(route.native_because("empty"), facts.size,
                     [&] { return natively(collective, comm, call); });
    });
  KnownCall* known = state->calls.remember(collective, call, found);
  return serve<collective>(comm, *state, found, call, known ? &known->bound : nullptr);
}

}  // namespace

template <Collective collective>
int run(MPI_Comm comm, const Call& call) {
  return guarded(comm, [&] { return serve<collective>(comm, call); });
}

#define TUTTI_INSTANCE(name, ...) template int run<Collective::name>(MPI_Comm, const Call&);
TUTTI_COLLECTIVES(TUTTI_INSTANCE)
#undef TUTTI_INSTANCE

}  // namespace tutti::run
