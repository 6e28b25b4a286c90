#pragma once

#include <vector>

namespace tutti::inline core {

/// A group's operation that begins while others may run, whose ranks share hosts or links with its
/// own: it takes longer the more of them there are.
struct OnlineCandidate {
  double start;            ///< seconds
  double alone, beside;    ///< seconds it takes by itself, and with all groups of its stage at once
  int stage;               ///< groups of one stage were measured beside each other
  int groups;              ///< number of groups of the stage
  int sharing;             ///< number of these that share a host, at most
  bool one_way;            ///< ports send all the time, or receive all the time, as in rooted operations
  std::vector<int> hosts;  ///< by rank of the group
  /// By rank of the group: at which share of the operation it is done with its part; empty: all at
  /// its end.
  std::vector<double> leaves;
};

/// When groups that slow each other down are done: the fluid limit of processor sharing, with
/// measured rates.
///
/// With k groups at a host, those whose ranks there are not done yet, a group is slower by as much
/// for each other one as its stage was when all its groups were measured at once; where none of a
/// stage's groups share a host, by as much as the others there are, or half of that where it sends
/// and receives by turns and so meets them half of the time. Groups that share no hosts, but were
/// slower together, share the network: they are slower in proportion to how many of them run. A
/// group goes at the rate of its slowest rank.
class Contention {
 public:
  /// Takes part from its start on, which is not before what has been advanced to. Returns its
  /// number, from 0 on.
  int add(OnlineCandidate candidate);

  /// A rank of a group that is done.
  struct Departure {
    int candidate, rank;
    double seconds;
  };
  /// The next ones, in the order of time: at least one where any group has ranks that are not done.
  std::vector<Departure> advance();
  bool idle() const { return active_.empty(); }

 private:
  struct State {
    OnlineCandidate what;
    double done = 0;  // share
    std::vector<bool> left;
    std::size_t remaining;
  };
  struct Crowd;

  std::vector<State> states_;
  std::vector<int> active_;  // the numbers of those that are not done
  double now_ = 0;
};

}  // namespace tutti::inline core
