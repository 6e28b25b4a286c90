#pragma once

#include <vector>

#include "core/schedule/topology.hpp"

namespace tutti::inline core {

/// Topologies of `ranks` ranks on which to prove what is made for neighbours: all grids of up to
/// three dimensions, periodic or not; on each of them neighbours along the diagonals, too; and some
/// graphs drawn at random, with edges in one direction only, several between the same ranks, and
/// from ranks to themselves.
std::vector<Topology> sample_topologies(int ranks);

}  // namespace tutti::inline core
