#pragma once

#include <vector>

#include "network/hockney.hpp"
#include "tuning/measurer.hpp"

namespace tutti {

/// The plans worth measuring at a point, native first: all algorithms, with parameters as the network likes
/// them too; of the compositions those that the network's model finds fastest, of each kind a few, with the
/// phases' fastest algorithms and with the MPI library's own phases; all ways by other collectives.
std::vector<Plan> candidates(const Point& point, const Hosts& hosts, const Hockney& link);

}  // namespace tutti
