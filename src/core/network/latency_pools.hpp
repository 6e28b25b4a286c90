#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/network/pool_tree.hpp"

namespace tutti::inline core {

/// Seconds that short messages take between pairs of hosts, as far as they were measured.
class Latencies {
 public:
  explicit Latencies(int hosts)
      : hosts_(hosts), values_(static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts)) {}
  int hosts() const { return hosts_; }
  /// 0 where the pair was not measured.
  double operator()(int a, int b) const { return values_[place(a, b)]; }
  void set(int a, int b, double seconds) { values_[place(a, b)] = seconds; }
  /// The hosts with which one was measured, ascending.
  std::vector<int> met_by(int host) const {
    std::vector<int> met;
    for (int other = 0; other < hosts_; ++other)
      if ((*this)(host, other) > 0) met.push_back(other);
    return met;
  }

 private:
  // A pair has one, so that those of a host with later ones are beside each other.
  std::size_t place(int a, int b) const {
    return static_cast<std::size_t>(std::min(a, b)) * static_cast<std::size_t>(hosts_) +
           static_cast<std::size_t>(std::max(a, b));
  }
  int hosts_;
  std::vector<double> values_;
};

/// By how much what two hosts take to a third one differs, on the average: of hosts that are as
/// near, those of the same switch or group have least. Seconds by pair, 0 where both have met no
/// third.
Latencies mean_differences(const Latencies& latencies);

/// Hosts that are near to each other, by what short messages take: a tree of pools, whose `ranks`
/// are numbers of hosts and whose `threshold` is the latency in seconds at which its parts are
/// joined. What hosts have to a third one counts like what they have to each other. The nearest two
/// sets of hosts become one, again and again; where the next two are
/// farther from each other by a clear step than all that are joined by then, these sets are a
/// level, unless they leave a quarter of the hosts by themselves, or, by a step of less than a
/// factor of two, half of the hosts in the sets of the level within. The root has no pools where no
/// step is clear.
///
/// Source: Sokal, Michener, A Statistical Method for Evaluating Systematic Relationships, 1958
/// (average linkage); the levels are ours.
Pool latency_pools(const Latencies& latencies);

}  // namespace tutti::inline core
