#pragma once

#include <vector>

#include "algorithms/patterns/fold.hpp"
#include "schedule/builder.hpp"

namespace tutti {

/// Reduce-scatter among those that remain by vector halving and distance doubling; the vector has fold.size
/// blocks, in output. Returns the ranges of blocks held after 0, 1, … log2 rounds, the last one complete.
/// Rank order is kept. Uses scratch.
std::vector<BlockRange> halving_reduce_scatter(Builder& builder, const Fold& fold);

/// The way back: allgather by vector doubling and distance halving along those ranges.
void doubling_allgather(Builder& builder, const Fold& fold, const std::vector<BlockRange>& held);

}  // namespace tutti
