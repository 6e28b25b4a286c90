#pragma once

#include <functional>

#include "choose/probing/prober.hpp"
#include "core/network/network.hpp"

namespace tutti::inline choose {

/// The link between two ranks whose curves are to be learnt.
struct CurveRequest {
  Rank from, to;
  Hockney expected;     ///< its times, about
  std::size_t largest;  ///< bytes
  bool overheads;       ///< also what messages cost processors
  double until;         ///< on the clock: nothing but what has to be begins after that
};

/// How often to repeat what takes so many seconds in a share of the time: once in a simulation,
/// whose times repeat exactly, and most_repetitions times at most.
int repetitions_within(double share_s, double seconds_each, const Prober& prober);

struct CurveHooks {
  std::function<double()> clock;
  std::function<void(std::size_t bytes)> show;  ///< what is measured next
};

/// Learns a link's curves at as many sizes as it takes that straight lines between them explain its
/// times. Where they don't, the size in the middle is measured, so that a step between two sizes is
/// followed down to some bytes. Then the curve is checked at sizes drawn at random; what it misses
/// by more than a line may is looked into, until half of the sizes are met within 1 % and all
/// within 5 %, or the time is up: `Link::check` says how well a last set of sizes was met, before
/// it was used. Other quantities are measured at the sizes that the curve needs. After Kielmann,
/// Bal, Verstoep, Fast Measurement of LogP Parameters for Message Passing Platforms, 2000, who
/// halve intervals likewise. Throws Error where the prober fails.
Link probe_curves(const CurveRequest& request, Prober& prober, const CurveHooks& hooks);

}  // namespace tutti::inline choose
