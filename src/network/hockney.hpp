#pragma once

#include <cstddef>

#include "schedule/schedule.hpp"

namespace tutti {

/// Hockney's model of a link: a message of n bytes takes alpha + n·beta seconds.
struct Hockney {
  double alpha = 0;  ///< seconds a message
  double beta = 0;   ///< seconds a byte
  double gamma = 0;  ///< seconds to combine a byte with another; 0 where it was not measured
};

/// The least time, in seconds, in which any algorithm can do a collective on one-ported full-duplex links:
/// the larger of the rounds that news needs to spread and the bytes that have to pass the busiest port.
/// `size` is what `CollectiveTraits::size_means` says.
/// Source: Chan, Heimlich, Purkayastha, van de Geijn, On Optimizing Collective Communication, 2004.
double lower_bound(Collective collective, int ranks, std::size_t size, const Hockney& link);

}  // namespace tutti
