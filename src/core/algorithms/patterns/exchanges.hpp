#pragma once

#include <string_view>
#include <vector>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/team.hpp"
#include "core/algorithms/patterns/workspace.hpp"
#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// A message of an allgather: blocks, by their numbers alone, and the member that gives or gets
/// them.
struct Exchange {
  int member;
  Ranges blocks;
};

/// A round of an allgather as one member sees it.
struct ExchangeRound {
  std::vector<Exchange> gets, gives;
};

/// An allgather as one member sees it: it starts with its own block, gets every other one once, and
/// gives only what it has.
using Exchanges = std::vector<ExchangeRound>;

/// Carries the rounds out in the output.
void allgather(Builder& builder, const Team& team, const Exchanges& exchanges);

/// Carries the rounds out backwards, every message against its direction, on partial results of
/// everybody's input: each member ends with its own block of the partial result complete. As many
/// rounds and as much volume as the allgather. Operands change places.
void reduce_scatter(Builder& builder, const Team& team, const Exchanges& exchanges,
                    const Workspace& workspace);

// The whole of three collectives on all ranks, each with a block.
void allgather(Builder& builder, const Exchanges& exchanges);
void reduce_scatter(Builder& builder, const Exchanges& exchanges);
void allreduce(Builder& builder, const Exchanges& exchanges);

/// With whom the largest exchanges are: those are the last ones of an allgather, the first ones of
/// a reduce-scatter. Where the middle of a network is narrow they had better stay near.
enum class Largest { far, near };

/// The parameter that says so, and its value.
Parameter largest_parameter();
Largest largest(const Arguments& arguments);

}  // namespace tutti::inline core
