#pragma once

#include "choose/offline/worker_protocol.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::run {

/// What the hosts of all ranks are called and where Slurm says they are, on rank 0. Collective: the
/// first rank of each host tells.
protocol::Places places_of(const Hosts& hosts);

}  // namespace tutti::run
