#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "network/network.hpp"
#include "schedule/schedule.hpp"

namespace tutti {

/// What a schedule costs on a network.
struct Price {
  /// A message (as its send), a combination or a native phase, from its start to its end in seconds.
  struct Step {
    OperationRef what;
    double start, end;
  };
  double seconds = 0;
  Rank busiest = 0;                 ///< the rank whose port or processor is busy longest
  double busy = 0;                  ///< how long that is, in seconds
  std::vector<Step> critical_path;  ///< what the time consists of, first to last
};

/// Seconds that the MPI library takes for a collective of its own on so many ranks; `size` is what
/// `CollectiveTraits::size_means` says.
using NativeTime = std::function<double(Collective, int ranks, std::size_t size)>;

/// What the best algorithm on the network's best link would take (lower_bound).
NativeTime limit_of(const Network& network);

/// Carries a schedule out in simulated time, event by event. A message leaves when both its ends have come to
/// it, or its sender only if it is short (Network::eager), and when its ports let it; combining n bytes keeps
/// a rank's processor busy for n·gamma; copies take no time. Of native phases nobody knows what the library
/// does: they begin when the last of the group has come and take what `native` says. `bytes` is the whole
/// vector, cut into the shape's blocks as calls are (Cut), or, where ranks stand for others, into equal ones.
/// The schedule has to be right (verify). `messages`, if asked for, gets every message as a step. Where the
/// schedule has a symmetry, ranks are those that stand for others.
Price price(const Schedule& schedule, std::size_t bytes, const Network& network, const NativeTime& native,
            std::vector<Price::Step>* messages = nullptr);

/// What the native phases of a rank's part take one after the other, nobody waiting for anybody; nothing
/// where it has other operations that take time.
std::optional<double> native_seconds(const Part& part, int blocks, std::size_t bytes,
                                     const NativeTime& native);

/// The same with native phases at the network's limit.
inline Price price(const Schedule& schedule, std::size_t bytes, const Network& network) {
  return price(schedule, bytes, network, limit_of(network));
}

}  // namespace tutti
