#include "support/running_times.hpp"

namespace tutti::apps {
namespace {

double collective(const Machine& machine, Collective which, int ranks, double elements) {
  return machine.collective_s({which, ranks, static_cast<std::size_t>(elements * machine.element_bytes)});
}

}  // namespace

NativeTime orthogonal(const NativeTime& collective_s, int p1, int p2) {
  return [=](const NativeCall& call) -> NativeDuration {
    switch (call.collective) {
      case Collective::allgather:
        return collective_s({call.collective, p1, call.size}) +
               collective_s({call.collective, p2, call.size * static_cast<std::size_t>(p1)});
      case Collective::bcast:
      case Collective::reduce:
      case Collective::allreduce:
        return collective_s({call.collective, p1, call.size}) +
               collective_s({call.collective, p2, call.size});
      default:
        return collective_s(call);
    }
  };
}

double jacobi_by_rows(const Machine& machine, int ranks, double n) {
  return 2 * n * n / ranks * machine.operation_s +
         collective(machine, Collective::allgather, ranks, n / ranks);
}

double jacobi_by_columns_allreduce(const Machine& machine, int ranks, double n) {
  return 2 * n * n / ranks * machine.operation_s + collective(machine, Collective::allreduce, ranks, n) +
         collective(machine, Collective::allgather, ranks, n / ranks);
}

double jacobi_by_columns_scatter(const Machine& machine, int ranks, double n) {
  return 2 * n * n / ranks * machine.operation_s + collective(machine, Collective::reduce, ranks, n) +
         collective(machine, Collective::scatter, ranks, n / ranks) +
         collective(machine, Collective::allgather, ranks, n / ranks);
}

double jacobi_by_columns_reduce(const Machine& machine, int ranks, double n) {
  return 2 * n / ranks * (n - 1) * machine.operation_s + collective(machine, Collective::reduce, ranks, n) +
         collective(machine, Collective::bcast, ranks, n);
}

double parallel_adams_bashforth(const Machine& machine, int ranks, double n, int stages,
                                double evaluation_s) {
  const double mine = n / ranks;
  return stages * (mine * evaluation_s + (2 * stages + 1) * mine * machine.operation_s +
                   collective(machine, Collective::allgather, ranks, mine));
}

double parallel_adams_moulton(const Machine& machine, int ranks, double n, int stages, int iterations,
                              double evaluation_s) {
  const double mine = n / ranks;
  return stages * iterations *
             (mine * evaluation_s + 3 * mine * machine.operation_s +
              collective(machine, Collective::allgather, ranks, mine)) +
         stages * (2 * stages + 1) * mine * machine.operation_s;
}

}  // namespace tutti::apps
