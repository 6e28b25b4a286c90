#pragma once

#include <mpi.h>

#include <vector>

namespace tutti::apps {

// What an arithmetic operation costs in simulation, in the flops by which platform files give the
// speed of hosts: memory is much slower than arithmetic on the machines of the papers, whose dense
// kernels ran at about an eighth of their peak.
inline constexpr double flops_per_operation = 8;

/// Says that `operations` arithmetic operations were done. On real machines they took their time;
/// in simulation, where only communication takes time of itself, this lets computation take time,
/// and simulated times repeat exactly.
inline void charge([[maybe_unused]] double operations) {
#ifdef SMPI_H
  if (operations > 0) smpi_execute_flops(operations * flops_per_operation);
#endif
}

/// Seconds that body() takes on the slowest process, begun by all together.
template <class Body>
double seconds_of(MPI_Comm comm, Body&& body) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  body();
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

/// Seconds of one arithmetic operation on this machine: of a scalar product that does not fit the
/// first cache.
inline double operation_seconds() {
  const std::vector<double> a(20000, 1.5), b(20000, 0.5);
  constexpr int repetitions = 20;
  volatile double sink = 0;
  const double begin = MPI_Wtime();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    sink = sink + sum;
    charge(2.0 * static_cast<double>(a.size()));
  }
  return (MPI_Wtime() - begin) / (2.0 * repetitions * static_cast<double>(a.size()));
}

}  // namespace tutti::apps
