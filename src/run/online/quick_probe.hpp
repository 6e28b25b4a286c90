#pragma once

#include <cstddef>

#include "core/network/network.hpp"
#include "run/calls/communicator.hpp"

namespace tutti::run {

/// What a quick probe is expected to take, in seconds: within a host messages take microseconds,
/// and levels of groups, which may be null, take as long again, however many there are.
double expected_quick_probe_s(const Communicator& communicator, const GroupLevels* groups);

/// What messages cost between neighbours on a host, through memory too where they share it, and
/// between the first ranks of neighbouring hosts, as far as there are such, all pairs at once: a
/// network of two ranks on one host and one on another. Where hosts are in groups those are
/// neighbours in an innermost one; and of each level it finds what messages cost between two of its
/// groups, and what their ways let through (network_of_levels). `groups` may be null. Collective,
/// after the ranks have met; the result is rank 0's.
Network probe_quickly(const Communicator& communicator, const GroupLevels* groups);

}  // namespace tutti::run
