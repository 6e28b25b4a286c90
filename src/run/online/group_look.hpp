#pragma once

#include <cstdint>
#include <vector>

#include "run/calls/communicator.hpp"

namespace tutti::run {

/// Whether hosts are neither too few nor too many to be looked at for groups among them.
bool may_have_groups(const Hosts& hosts);

/// What a look for groups of hosts has found.
struct GroupLook {
  /// By rank, the groups that its host is in, by what short messages between hosts take
  /// (latency_pools): numbers from 1 on, the outermost first. The outermost has all ranks; there is
  /// no other where no hosts are clearly nearer to each other than the rest. Nothing where the look
  /// would have taken too long.
  std::vector<std::vector<std::uint64_t>> groups = {};
  double whole_s = 0;  ///< what a whole look takes, in seconds
};

/// Looks for groups of a communicator's hosts, unless it is seen to take longer than `limit_s`
/// seconds. Collective, after the ranks have met; the limit and the result are rank 0's.
GroupLook look_for_groups(const Communicator& communicator, double limit_s);

/// What that is expected to take, in seconds, where messages between hosts have this latency, with
/// what rank 0 computes; 0 where that is not known.
double expected_group_look_s(const Hosts& hosts, double latency_s);

}  // namespace tutti::run
