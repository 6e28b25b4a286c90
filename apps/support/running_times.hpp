#pragma once

#include "core/network/price.hpp"

namespace tutti::apps {

/// What the running times of whole programs are made of.
struct Machine {
  double operation_s;       ///< t_op: an arithmetic operation
  NativeTime collective_s;  ///< what collectives take
  double element_bytes = 8;
};

/// Collectives on the rows and columns of a p1 × p2 grid: the sum of what they take on p1 and on p2
/// ranks; an allgather's second phase passes on p1 blocks. Equations (4) and (5) of the source
/// below. p1 · p2 has to be the number of ranks asked for; other collectives than bcast, reduce,
/// allreduce and allgather take what they took.
NativeTime orthogonal(const NativeTime& collective_s, int p1, int p2);

/// Seconds of one Jacobi iteration on a dense system of n equations: rows distributed, an allgather
/// of the new vector (1); columns distributed, an allreduce and an allgather (2), a reduce, a
/// scatter and an allgather, or a reduce and a bcast (3). Source: Kühnemann, Rauber, Rünger,
/// Optimizing MPI Collective Communication by Orthogonal Structures, 2006, section 5.
double jacobi_by_rows(const Machine& machine, int ranks, double n);
double jacobi_by_columns_allreduce(const Machine& machine, int ranks, double n);
double jacobi_by_columns_scatter(const Machine& machine, int ranks, double n);
double jacobi_by_columns_reduce(const Machine& machine, int ranks, double n);

/// Seconds of a time step of the data-parallel Adams methods with K stages for n equations: PAB,
/// and PABM with I corrector iterations. `evaluation_s` is the time for one component of f. Same
/// source.
double parallel_adams_bashforth(const Machine& machine, int ranks, double n, int stages, double evaluation_s);
double parallel_adams_moulton(const Machine& machine, int ranks, double n, int stages, int iterations,
                              double evaluation_s);

}  // namespace tutti::apps
