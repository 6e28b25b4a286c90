#include "runtime/collectives.hpp"

#include <climits>
#include <new>

#include "runtime/call_size.hpp"
#include "runtime/carry_out.hpp"
#include "runtime/host_copies.hpp"
#include "runtime/process.hpp"

namespace tutti::runtime {
namespace {

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

// A call whose buffers may lie on a device.
int carry_out_with_copies(const DeviceLibrary& library, Communicator& communicator, const Plan& plan,
                          const Call& call, bool commutative) {
  Call here = call;
  HostCopies copies(library, plan.collective(), communicator, here);
  // A copy that failed is reported at the end: the other ranks have come.
  const int error = carry_out(communicator, plan, here, commutative);
  if (error != MPI_SUCCESS) return error;
  return copies.error() != MPI_SUCCESS ? copies.error() : copies.bring_back();
}

// A plan that can't serve a call: native, counted and reported.
int fall_back(MPI_Comm comm, Attached& attached, Collective collective, const Call& call, std::ptrdiff_t size,
              const std::string& reason) {
  const Fallback fallback = attached.rules->fallback;
  Process::instance()->report_fallback(collective, fallback, reason);
  if (fallback == Fallback::error) {
    PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
  return counted(attached.route(collective).native_because("fallback: " + reason), size,
                 [&] { return run_natively(collective, comm, call); });
}

int run_plan(MPI_Comm comm, Attached& attached, Decision& decision, const Call& call, CallFacts facts) {
  const Plan& plan = *decision.plan;
  const Collective collective = plan.collective();
  Communicator& communicator = attached.communicator;
  const auto size = facts.size;
  const bool commutative = facts.commutative;
  if (const std::string& why = decision.refusals[commutative]; !why.empty())
    return fall_back(comm, attached, collective, call, size, why);
  if (decision.native_phases &&
      total_bytes(collective, communicator.ranks(), static_cast<std::size_t>(size)) > INT_MAX)
    return fall_back(comm, attached, collective, call, size, "native phases of more than 2^31 bytes");
  if (communicator.hidden() == MPI_COMM_NULL)
    return fall_back(comm, attached, collective, call, size, "MPI has no communicator left");
  int error = MPI_SUCCESS;
  try {
    if (plan.is_computed() && communicator.adapt()) Process::instance()->report_adaptation();
    error = counted(decision.use, size, [&] {
      const DeviceLibrary* device = loaded_device_library();
      return device ? carry_out_with_copies(*device, communicator, plan, call, commutative)
                    : carry_out(communicator, plan, call, commutative);
    });
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  }
  if (communicator.has_news_of_memory()) [[unlikely]]
    Process::instance()->report_memory(communicator);
  if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, error);
  return error;
}

// A call of which it was decided what happens.
template <Collective collective>
int serve(MPI_Comm comm, Attached& attached, Decision& decision, const Call& call, CallFacts facts) {
  if (decision.plan) return run_plan(comm, attached, decision, call, facts);
  return counted(decision.use, facts.size, [&] { return run_natively(collective, comm, call); });
}

// A call that belongs to a lesson.
template <Collective collective>
int serve_as_learnt(MPI_Comm comm, Attached& attached, Lesson& lesson, const Call& call, CallFacts facts) {
  Decision& decision = lesson.next();
  if (!lesson.is_measured()) return serve<collective>(comm, attached, decision, call, facts);
  const double begin = PMPI_Wtime();
  const int error = serve<collective>(comm, attached, decision, call, facts);
  lesson.took(PMPI_Wtime() - begin);
  return error;
}

}  // namespace

template <Collective collective>
int run(MPI_Comm comm, const Call& call) {
  Attached* attached = find(comm);
  if (!attached) return run_natively(collective, comm, call);
  const Inside inside;
  Route& route = attached->route(collective);
  Learner* const learner = attached->learner.get();
  Decision* decision = &route.decide(0);
  CallFacts facts{0};
  OperandOrders operands = OperandOrders::any;
  if (!route.always_native() || learner || (timing && !attached->only_native)) {
    facts = facts_of(collective, attached->communicator, call);
    if (facts.size < 0) return run_natively(collective, comm, call);  // MPI reports what is wrong
    const bool fixed = attached->rules && attached->rules->reproducible && !facts.exact;
    if (fixed) facts.commutative = false;
    operands = fixed               ? OperandOrders::in_fixed_order
               : facts.commutative ? OperandOrders::any
                                   : OperandOrders::in_rank_order;
    decision = &route.decide(static_cast<std::size_t>(facts.size), operands);
  }
  const bool empty = facts.size == 0 && traits(collective).size_means != SizeMeans::nothing;
  if (empty && decision->plan)
    return counted(route.native_because("empty"), facts.size,
                   [&] { return run_natively(collective, comm, call); });
  if (learner && !empty && learner->concerns(route, operands, *decision)) {
    Lesson& lesson = learner->lesson(collective, static_cast<std::size_t>(facts.size), operands, *decision);
    return serve_as_learnt<collective>(comm, *attached, lesson, call, facts);
  }
  return serve<collective>(comm, *attached, *decision, call, facts);
}

#define TUTTI_INSTANCE(name, mpi_name) template int run<Collective::name>(MPI_Comm, const Call&);
TUTTI_COLLECTIVES(TUTTI_INSTANCE)
#undef TUTTI_INSTANCE

int finalize() {
  if (Process* process = Process::instance()) {
    const Inside inside;
    process->finish();
  }
  return native().finalize();
}

}  // namespace tutti::runtime
