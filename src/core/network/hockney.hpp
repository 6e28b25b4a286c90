#pragma once

#include <cstddef>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// Hockney's model of a link: a message of n bytes takes alpha + n·beta seconds.
struct Hockney {
  double alpha = 0;  ///< seconds a message
  double beta = 0;   ///< seconds a byte
  double gamma = 0;  ///< seconds to combine a byte with another; 0 where it was not measured
};

/// The length of a message, in bytes, whose latency is half of what it takes: Hockney's n½, as
/// pieces of a longer one may have. At least 64, as much as a message carries besides, and at most
/// 10^9, whatever a disturbed probe has found of the link.
int half_performance_length(const Hockney& link);

/// The least time, in seconds, in which any algorithm can do a collective on one-ported full-duplex
/// links: the larger of the rounds that news needs to spread and the bytes that have to pass the
/// busiest port.
/// `size` is what `CollectiveTraits::size_means` says.
/// Source: Chan, Heimlich, Purkayastha, van de Geijn, On Optimizing Collective Communication, 2004.
double lower_bound(Collective collective, int ranks, std::size_t size, const Hockney& link);

}  // namespace tutti::inline core
