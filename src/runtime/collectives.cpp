#include "runtime/collectives.hpp"

#include <new>

#include "runtime/process.hpp"

namespace tutti::runtime {
namespace {

int run_natively(MPI_Comm comm, const BcastCall& c) {
  return native().bcast(c.buffer, c.count, c.type, c.root, comm);
}
int run_natively(MPI_Comm comm, const AllgatherCall& c) {
  return native().allgather(c.sendbuf, c.sendcount, c.sendtype, c.recvbuf, c.recvcount, c.recvtype, comm);
}
int run_natively(MPI_Comm comm, const AllreduceCall& c) {
  return native().allreduce(c.sendbuf, c.recvbuf, c.count, c.type, c.op, comm);
}

// The size that decides, in bytes: the same on all ranks. −1 for arguments that MPI will have something to
// say about.
std::ptrdiff_t bytes(int count, MPI_Datatype type) {
  const TypeInfo* info = count < 0 ? nullptr : type_info(type);
  return info ? static_cast<std::ptrdiff_t>(info->size) * count : -1;
}
std::ptrdiff_t size_of(const Communicator& c, const BcastCall& call) {
  return call.root < 0 || call.root >= c.ranks() ? -1 : bytes(call.count, call.type);
}
std::ptrdiff_t size_of(const Communicator&, const AllgatherCall& call) {
  if (call.sendbuf != MPI_IN_PLACE && bytes(call.sendcount, call.sendtype) < 0) return -1;
  return bytes(call.recvcount, call.recvtype);
}
std::ptrdiff_t size_of(const Communicator&, const AllreduceCall& call) {
  return call.op == MPI_OP_NULL ? -1 : bytes(call.count, call.type);
}

bool commutes(const BcastCall&) {
  return true;
}
bool commutes(const AllgatherCall&) {
  return true;
}
bool commutes(const AllreduceCall& call) {
  int commutative = 1;
  PMPI_Op_commutative(call.op, &commutative);
  return commutative != 0;
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

// A plan that can't serve a call: native, counted and reported.
template <typename Call>
int fall_back(MPI_Comm comm, Attached& attached, Collective collective, const Call& call, std::ptrdiff_t size,
              const std::string& reason) {
  const Fallback fallback = attached.rules->fallback;
  Process::instance()->report_fallback(collective, fallback, reason);
  if (fallback == Fallback::error) {
    PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
  return counted(attached.route(collective).native_because("fallback: " + reason), size,
                 [&] { return run_natively(comm, call); });
}

template <typename Call>
int run_plan(MPI_Comm comm, Attached& attached, Decision& decision, const Call& call, std::ptrdiff_t size) {
  const Collective collective = decision.plan->collective();
  if (decision.plan->commutative_only() && !commutes(call))
    return fall_back(comm, attached, collective, call, size, *decision.plan->refusal(false));
  if (attached.communicator.hidden() == MPI_COMM_NULL)
    return fall_back(comm, attached, collective, call, size, "MPI has no communicator left");
  int error = MPI_SUCCESS;
  try {
    error =
        counted(decision.use, size, [&] { return carry_out(attached.communicator, *decision.plan, call); });
  } catch (const std::bad_alloc&) {
    error = MPI_ERR_NO_MEM;
  }
  if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, error);
  return error;
}

template <Collective collective, typename Call>
int run(MPI_Comm comm, const Call& call) {
  Attached* attached = find(comm);
  if (!attached) return run_natively(comm, call);
  const Inside inside;
  Route& route = attached->route(collective);
  Decision* decision = &route.decide(0);
  std::ptrdiff_t size = 0;
  if (!route.always_native() || timing) {
    size = size_of(attached->communicator, call);
    if (size < 0) return run_natively(comm, call);  // MPI reports what is wrong
    decision = &route.decide(static_cast<std::size_t>(size));
  }
  if (decision->plan && size > 0) return run_plan(comm, *attached, *decision, call, size);
  Use& use = decision->plan ? route.native_because("empty") : decision->use;
  return counted(use, size, [&] { return run_natively(comm, call); });
}

}  // namespace

int bcast(MPI_Comm comm, const BcastCall& call) {
  return run<Collective::bcast>(comm, call);
}
int allgather(MPI_Comm comm, const AllgatherCall& call) {
  return run<Collective::allgather>(comm, call);
}
int allreduce(MPI_Comm comm, const AllreduceCall& call) {
  return run<Collective::allreduce>(comm, call);
}

int finalize() {
  if (Process* process = Process::instance()) {
    const Inside inside;
    process->finish();
  }
  return native().finalize();
}

}  // namespace tutti::runtime
