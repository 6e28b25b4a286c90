#include "runtime/nonblocking.hpp"

#include "runtime/pending.hpp"
#include "runtime/process.hpp"
#include "runtime/progress.hpp"
#include "runtime/reported.hpp"
#include "schedule/messages.hpp"

namespace tutti::runtime {
namespace {

// Of a call: the same on all ranks.
int tags_of(const Communicator& communicator, const Plan& plan, const Call& call, const CallFacts& facts) {
  const auto size = static_cast<std::size_t>(facts.size);
  return tags_for(shape_of(plan, communicator.setting(facts.commutative), call.root,
                           total_bytes(plan.collective(), communicator.ranks(), size))
                      .blocks);
}

int start_counted(Collective collective, MPI_Comm comm, const Call& call, MPI_Request* request, Use& use) {
  ++use.calls;
  return start_natively(collective, comm, call, request);
}

// Why a plan can't serve such a nonblocking call; empty: it can. The same on all ranks.
std::string refusal_of(const Decision& decision, Collective collective, const CallFacts& facts) {
  if (const std::string& why = decision.refusals[facts.commutative]; !why.empty()) return why;
  if (is_irregular(collective) && decision.plan->goes_by_bytes())
    return "ranks would have to agree on sizes first";
  return "";
}

}  // namespace

template <Collective collective>
int start(MPI_Comm comm, const Call& call, MPI_Request* request) {
  Attached* attached = find_known(comm);
  if (!attached) {
    Process* process = memo.inside ? nullptr : Process::instance();
    if (process) process->count_unprepared({collective, Mode::nonblocking});
    return start_natively(collective, comm, call, request);
  }
  const Inside inside;
  Route& route = attached->route(Called{collective, Mode::nonblocking});
  const auto natively = [&](Use& use) { return start_counted(collective, comm, call, request, use); };
  if (route.always_native()) return natively(route.decide(0).use);
  Communicator& communicator = attached->communicator;
  CallFacts facts = facts_of(collective, communicator, call);
  if (facts.size < 0) return start_natively(collective, comm, call, request);  // MPI reports what is wrong
  const OperandOrders operands = orders_of(*attached, facts);
  const auto size = static_cast<std::size_t>(facts.size);
  Decision& decision = route.decide(size, operands);
  if (!decision.plan) return natively(decision.use);
  if (size == 0 && traits(collective).size_means != SizeMeans::nothing)
    return natively(route.native_because("empty"));
  if (!communicator.has_hidden()) {
    attached->wants_hidden = true;
    return natively(route.native_because(unprepared));
  }
  if (const std::string why = refusal_of(decision, collective, facts); !why.empty()) {
    Process::instance()->report_fallback(Called{collective, Mode::nonblocking}, attached->rules->fallback,
                                         why);
    return natively(route.native_because("fallback: " + why));
  }
  if (tags_of(communicator, *decision.plan, call, facts) > communicator.tags())
    return natively(route.native_because("too few tags"));
  return reported(comm, [&] { return start_by_plan(communicator, decision, call, facts, request); });
}

int start_by_plan(Communicator& communicator, Decision& decision, const Call& call, const CallFacts& facts,
                  MPI_Request* request) {
  const Tags tags = communicator.next_tags(tags_of(communicator, *decision.plan, call, facts));
  return begin(std::make_unique<Pending>(communicator, decision, call, facts.commutative, facts.size, tags),
               request);
}

#define TUTTI_INSTANCE(name, mpi_name) \
  template int start<Collective::name>(MPI_Comm, const Call&, MPI_Request*);
TUTTI_COLLECTIVES(TUTTI_INSTANCE)
#undef TUTTI_INSTANCE

}  // namespace tutti::runtime
