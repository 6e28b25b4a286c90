#include "run/process/init_persistent.hpp"

#include "run/calls/refusal.hpp"
#include "run/calls/reported.hpp"
#include "run/process/process.hpp"
#include "run/process/start_nonblocking.hpp"
#include "run/requests/learnt_call.hpp"
#include "run/requests/persistent.hpp"

namespace tutti::run {
namespace {

void keep(const std::shared_ptr<PersistentCall>& call, MPI_Request* request) {
  *request = call->request();
  keep_persistent(call, [](Communicator& freed) { Process::instance()->release(freed); });
}

// What learns of such a call, or holds native against a table's plan for it, and what that has to
// know.
struct Learns {
  Learner* learner = nullptr;  // null: nothing does
  CallFacts facts{0};
  OperandOrders operands = OperandOrders::any;
  Decision* untuned = nullptr;
  std::optional<SizeClass> size = {};  // where ranks have told each other
};

// Whether native is held against the plan that serves such a call.
bool may_guard(Called called, const Learner& learner, const CommunicatorState& state, const Call& call,
               const Learns& learns) {
  const Communicator& communicator = state.communicator;
  return learner.guards_at_once() && learns.operands != OperandOrders::in_fixed_order &&
         communicator.has_met() &&
         refusal_of(called, communicator, *learns.untuned, call, learns.facts).empty();
}

Learns learns_of(Called called, CommunicatorState& state, const Call& call, std::optional<SizeClass> told) {
  Learns learns;
  Learner* const learner = state.only_native ? nullptr : state.learner.get();
  if (!learner || !(learner->learns_at_once() || learner->guards_at_once())) return learns;
  if (!state.communicator.combines) return learns;  // times are told by a plan of ours that sums
  if (state.communicator.has_met() && !state.communicator.has_tags_to_keep()) return learns;
  learns.facts = facts_of(called.collective, state.communicator, call);
  if (learns.facts.size < 0) return learns;
  learns.operands = orders_of(state, learns.facts);
  if (told) learns.facts.size = static_cast<std::ptrdiff_t>(told->typical());
  const auto size = static_cast<std::size_t>(learns.facts.size);
  learns.size = has_own_sizes(called.collective) ? told : SizeClass::of(size);
  learns.untuned = &state.route(called).decide(size, learns.operands);
  const bool empty = size == 0 && traits(called.collective).size_means != SizeMeans::nothing;
  const bool tries =
      learns.untuned->plan ? may_guard(called, *learner, state, call, learns) : learner->learns_at_once();
  if (tries && !empty && !learns.facts.whole &&
      learner->concerns(called.collective, learns.operands, *learns.untuned))
    learns.learner = learner;
  return learns;
}

// Makes the request of a call: ours where all ranks find that something is tried in it. Else a plan
// that there is serves alone, and nothing is made here, unless it has lost in earlier requests;
// without one the request is the MPI library's, which is timed. Returns MPI's error code, if a
// request was to be made.
std::optional<int> init_learnt(Called called, CommunicatorState& state, const Call& call,
                               const Learns& learns, MPI_Info info, MPI_Request* request) {
  const Blocking agreeing(state.communicator.user());
  const auto natively = [&](MPI_Request* made) {
    return init_natively(called.collective, state.communicator.user(), call, info, made);
  };
  Communicator& communicator = state.communicator;
  Learner& learner = *learns.learner;
  const SizeClass calls = learns.size ? *learns.size : state.sizes->of_request(learns.facts.own);
  const bool empty = has_own_sizes(called.collective) && calls == SizeClass{};
  const auto [tuner, native_because] =
      empty ? Learner::OfRequest{}
            : learner.tuner_of_request(called.collective, calls, learns.operands, *learns.untuned);
  if (native_because) {
    ++state.route(called).native_because(*native_because).calls;
    return natively(request);
  }
  auto own = tuner && communicator.has_tags_to_keep() ? make_restartable_request() : nullptr;
  if (!own && learns.untuned->plan) {
    if (tuner) learner.take(*tuner);
    return std::nullopt;
  }
  MPI_Request native = MPI_REQUEST_NULL;
  const int error = natively(&native);
  if (error != MPI_SUCCESS || !own) {
    if (tuner) learner.take(*tuner);
    if (error != MPI_SUCCESS) return error;
    ++learns.untuned->use.calls;
    *request = native;
    if (auto timer = empty ? nullptr : learner.native_timer(called.collective, calls, learns.operands))
      time_persistent(native, std::move(timer));
    return MPI_SUCCESS;
  }
  const auto release = [](const Communicator& of, const ClassTuner& gone) {
    Process::instance()->retire(of, gone);
  };
  keep(std::make_shared<LearntCall>(LearntCall::Parts{communicator, *tuner, learns.untuned->use, release},
                                    call, learns.facts, communicator.keep_tags(), std::move(own), native),
       request);
  return MPI_SUCCESS;
}

// The size of a request of which each rank knows its own, where a decision goes by it: all ranks
// are here and tell each other.
std::optional<SizeClass> told_size(Called called, CommunicatorState& state, const Call& call) {
  if (!has_own_sizes(called.collective) || !state.route(called).goes_by_size()) return std::nullopt;
  const CallFacts facts = facts_of(called.collective, state.communicator, call);
  if (facts.size < 0) return std::nullopt;
  const Blocking agreeing(state.communicator.user());
  return state.sizes->of_request(facts.own);
}

template <Collective collective>
int init_here(MPI_Comm comm, const Call& call, MPI_Info info, MPI_Request* request) {
  constexpr Called called{collective, Mode::persistent};
  const auto natively = [&] { return init_natively(collective, comm, call, info, request); };
  CommunicatorState* state = attach_once(comm);
  if (!state) return natively();
  const Inside inside;
  if (state->communicator.is_awaited) state->meet();
  if (!state->only_native && !state->route(called).always_native()) state->prepare();
  if (state->communicator.has_met()) state->communicator.collect_kept_tags();
  const std::optional<SizeClass> told = told_size(called, *state, call);
  if (const Learns learns = learns_of(called, *state, call, told); learns.learner)
    if (const auto error = init_learnt(called, *state, call, learns, info, request)) return *error;
  Way way = way_of(called, *state, call, told);
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
  TagsOfRequest tags = communicator.keep_tags();
  auto pending = std::make_shared<Pending>(communicator, *way.decision, call, way.facts.commutative,
                                           way.facts.size, tags.tags(), called.mode, std::move(user_request));
  keep(by_one_plan(std::move(pending), std::move(tags)), request);
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
