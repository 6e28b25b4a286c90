#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/network/network.hpp"
#include "core/network/situation.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// What a schedule costs on a network.
struct Price {
  /// A message (as its send), a combination or a native phase, from its start to its end in
  /// seconds.
  struct Step {
    OperationRef what;
    double start, end;
  };
  double seconds = 0;
  Rank busiest = 0;  ///< the rank whose port or processor is busy longest
  double busy = 0;   ///< how long that is, in seconds
  /// What messages between groups or in a torus share and is busy longest: "out of rack 3", and for
  /// how long.
  struct Way {
    std::string name = {};
    double seconds = 0;
  };
  Way busy_way = {};  ///< without a name where they share nothing
  /// A stretch of the time, and what it is spent on: a step, or that part of it, that nothing else
  /// could have hidden. A message that waited for a port counts from when that was free, and the
  /// one before it until then.
  struct PathStep : Step {
    static constexpr int nowhere = -1;
    double bytes = 0;         ///< of a message
    bool hands_over = false;  ///< a short message's sender is busy with it, and goes on then
    int held_at = nowhere;    ///< in `places`: what a message waited for, or at whose pace it went
  };
  /// What the time consists of, first to last: from 0 to `seconds`, each stretch from where the one
  /// before ends.
  std::vector<PathStep> critical_path;
  /// Ports, connections and ways of groups: "port into rank 0", "out of rack 3".
  std::vector<std::string> places;
};

/// A collective of the MPI library's own.
struct NativeCall {
  Collective collective;
  int ranks;
  std::size_t size;  ///< bytes, see CollectiveTraits::size_means
  Situation situation = {};
};
/// What such a call takes.
struct NativeDuration {
  NativeDuration(double all_s, std::vector<double> shares = {}) : seconds(all_s), leaves(std::move(shares)) {}
  operator double() const { return seconds; }

  double seconds;
  /// By rank of the group: the share of it after which the rank is done; empty: all of it.
  std::vector<double> leaves;
};
using NativeTime = std::function<NativeDuration(const NativeCall&)>;

/// What the best algorithm on the network's best link would take (lower_bound).
NativeTime limit_of(const Network& network);

/// Carries a schedule out in simulated time, event by event. A message leaves when both its ends
/// have come to it, or its sender only if it is short (Network::eager), and when its ports let it
/// and the ways of all groups that it crosses (Network::Group), and all links in a torus;
/// combining n bytes keeps a rank's processor busy for n·gamma; copies take no time. Of native
/// phases nobody knows what the library does: they begin when the last of the group has come and
/// take what `native` says. Where all phases are native their ranks leave as it says, and groups
/// beside each other slow each other down while they run (Contention). `bytes` is the whole vector,
/// cut into the shape's blocks as calls are (Cut), or, where ranks stand for others, into equal
/// ones. The schedule has to be right (verify). `steps`, if asked for, gets every message, and
/// after those every combination and native phase of each rank. Where the schedule has a symmetry,
/// ranks are those that stand for others.
Price price(const Schedule& schedule, std::size_t bytes, const Network& network, const NativeTime& native,
            std::vector<Price::Step>* steps = nullptr);

/// What the native phases of a rank's part take one after the other, nobody waiting for anybody;
/// nothing where it has other operations that take time.
std::optional<double> native_seconds(const Part& part, int blocks, std::size_t bytes,
                                     const NativeTime& native);

/// The price with native phases at the network's limit.
inline Price price(const Schedule& schedule, std::size_t bytes, const Network& network) {
  return price(schedule, bytes, network, limit_of(network));
}

}  // namespace tutti::inline core
