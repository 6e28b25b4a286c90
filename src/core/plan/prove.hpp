#pragma once

#include <span>
#include <string>

#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// What became of a proof.
struct Proof {
  std::size_t schedules = 0;  ///< how many were proven
  std::string violation;      ///< the first one, complete with its circumstances; empty if there is none
};

/// Proves a plan for that many ranks and that root: with MPI_IN_PLACE and without; for operations
/// that commute and, where the plan claims to keep the order of operands, for those that do not;
/// for few and many blocks where their number depends on the bytes; with one send and one receive
/// of a rank under way at most, so that no bound on messages under way can become a deadlock; and
/// in the fixed order of operands where the plan claims to keep it. What is computed for a network
/// is proven on sample_networks, what is for neighbours on sample_topologies. A plan that refuses
/// `ranks` ranks has nothing to prove.
Proof prove(const Plan& plan, int ranks, Rank root, const Hosts* hosts = nullptr);

/// Proves a plan for several roots, as for one. What is proven for the first, where that is rank 0,
/// stands for others whose schedules are the same with all ranks moved (is_that_of_root_0_moved).
Proof prove(const Plan& plan, int ranks, std::span<const Rank> roots, const Hosts* hosts = nullptr);

/// Proves a plan for 1 … max_ranks ranks and every root.
Proof prove_all(const Plan& plan, int max_ranks);

/// Proves all grids of two and three sides, phases native, for 1 … max_ranks ranks and every root.
Proof prove_grids(Collective collective, int max_ranks);

}  // namespace tutti::inline core
