#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace tutti::inline core {

/// Repeated times of a collective by the size of a rank's block in bytes: seconds.
using Repetitions = std::map<std::size_t, std::vector<double>>;

/// How a gather of many to one behaves where TCP loses what a queue can't hold: up to M1 it takes
/// the wire's own time, then single runs escalate by one of a few discrete delays, beyond M2 none
/// does. Source: Lastovetsky, O'Flynn, Rychkov, A Performance Model of MPI Collective
/// Communications, 2007.
struct Escalations {
  /// Bytes: the largest size measured below those that escalate; 0: even the smallest one does.
  std::size_t m1 = 0;
  std::size_t m2 = 0;          ///< bytes: the largest size that escalates
  std::vector<double> levels;  ///< seconds beyond the wire's time, ascending
  /// By size and level: the share of runs that escalate to it.
  std::map<std::size_t, std::vector<double>> probabilities;
  friend bool operator==(const Escalations&, const Escalations&) = default;
};

/// Nothing where no size escalates. A run has escalated if it takes longer than the wire's time by
/// more than `least_s` and by half of it; levels are the clusters of those delays (one-dimensional,
/// as many as the Bayesian information criterion finds reason for), and a size counts if a
/// twentieth of its runs escalate.
std::optional<Escalations> find_escalations(const Repetitions& seconds, double least_s = 0.05);

/// Where a scatter leaps: the largest size before its time grows along a higher line; nothing where
/// one line serves. Of the medians; a leap is a tenth at least.
std::optional<std::size_t> find_leap(const Repetitions& seconds);

}  // namespace tutti::inline core
