#pragma once

#include <optional>

#include "core/network/network.hpp"
#include "run/calls/communicator.hpp"
#include "run/mpi/handles.hpp"
#include "run/online/constants.hpp"

namespace tutti::run {

/// What a quick probe is expected to take, in seconds: within a host messages take microseconds.
inline double expected_quick_probe_s(const Hosts& hosts) {
  return count(hosts) > 1 ? online::longest_quick_probe_s : online::longest_quick_probe_s / 10;
}

/// What messages cost between neighbours on a host, through memory too where they share it, and
/// between the first ranks of neighbouring hosts, as far as there are such, all pairs at once: a
/// network of two ranks on one host and one on another. Collective, after the ranks have met; the
/// result is rank 0's.
Network probe_quickly(const Communicator& communicator);

}  // namespace tutti::run
