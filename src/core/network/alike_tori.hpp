#pragma once

#include <cstddef>
#include <vector>

#include "core/network/torus.hpp"

namespace tutti::inline core {

/// Tori in which the hosts have the same distances as in a given one, which is all that latencies
/// tell: with the dimensions in each order, and with what a side of 4 is made of dealt out anew,
/// for it is two sides of 2. At most about `most`, the given one among them if there is room. Where
/// two ways round are as long all take the same one (turned).
std::vector<Torus> alike_tori(const Torus& torus, std::size_t most);

/// A torus seen from the other side in a dimension, so that where two ways round are as long the
/// other one is taken.
Torus turned(Torus torus, std::size_t dimension);

}  // namespace tutti::inline core
