#pragma once

#include <vector>

#include "core/schedule/builder.hpp"

namespace tutti::inline core {

/// One message of a computed schedule: consecutive blocks of the collective's vector from a rank
/// that has them to one that needs them or passes them on; or, in a reduction, what a rank has
/// combined of them so far to one that combines it with its own.
struct ScheduledTransfer {
  Rank from, to;
  int block, blocks = 1;
  bool combine = false;
  bool in_turn = false;       ///< after its sender's last one in turn
  double start = 0, end = 0;  ///< seconds, as far as its strategy reckons in time
};

/// A whole schedule, in an order in which every rank can carry out its share.
using ScheduledTransfers = std::vector<ScheduledTransfer>;

/// Transfers of a schedule at most: every rank computes all of them, and has them in memory (40
/// MB). It was chosen by hand.
inline constexpr std::size_t most_transfers = 1 << 20;

/// Writes a rank's part. Collectives are those that move one vector's blocks (bcast, gather,
/// scatter, allgather) or combine them in any order (reduce, allreduce, reduce_scatter_block).
void write(Builder& builder, const ScheduledTransfers& transfers);

}  // namespace tutti::inline core
