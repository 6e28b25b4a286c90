#pragma once

#include <functional>
#include <vector>

#include "core/algorithms/patterns/workspace.hpp"
#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// A power of two of ranks under numbers of their own, 0 … size − 1.
struct Hypercube {
  int size;
  int me;
  std::function<Rank(int member)> rank;
};

/// Blocks [first, first + count) of the vector.
struct Stretch {
  int first, count;
};

/// The stretches of a vector that a member holds after 0, 1, … log2(size) rounds of vector halving
/// and distance doubling: a bit of its number after the other says which half.
std::vector<Stretch> halved_stretches(int member, int size, int blocks);

/// Reduce-scatter of partial results by vector halving and distance doubling: the last of the
/// member's stretches is then complete. Rank order is kept.
void halving_reduce_scatter(Builder& builder, const Hypercube& cube, const Workspace& workspace);

/// The way back in the output: allgather by vector doubling and distance halving.
void doubling_allgather(Builder& builder, const Hypercube& cube);

/// The way back to one member only, in the partial results: a binomial gather.
void doubling_gather(Builder& builder, const Hypercube& cube, int to, const Workspace& workspace);

}  // namespace tutti::inline core
