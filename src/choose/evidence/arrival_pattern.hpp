#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace tutti::inline choose {

/// When the ranks of a communicator come to a call.
/// Source: Faraj, Patarasuk, Yuan, A Study of Process Arrival Patterns for MPI Collective
/// Operations, 2008.
struct ArrivalPattern {
  enum class Kind {
    together,  ///< all at once
    uniform,   ///< at equal distances, in an order that is drawn for each call
    one_late,  ///< all at once but one, which is drawn for each call
    random,    ///< at moments that are drawn for each call and rank
    skewed,    ///< as uniform, but the average rank comes when `mean_s` says
    recorded,  ///< as in the calls of a program, one after the other and again from the first
  };
  /// How ranks came to a call of a program.
  struct Call {
    /// Ranks, and seconds behind the first, of those that came last; of all others the average.
    std::vector<std::pair<int, double>> last;
    double others_s = 0;
    friend bool operator==(const Call&, const Call&) = default;
  };
  Kind kind = Kind::together;
  double late_s = 0;             ///< time of the last rank behind the first, in seconds; random: at most
  double mean_s = 0;             ///< time of the average rank behind the first, in seconds, where skewed
  std::vector<Call> calls = {};  ///< where recorded
  friend bool operator==(const ArrivalPattern&, const ArrivalPattern&) = default;
};

/// Reads a pattern with the time of its last rank, such as "one-late:2ms".
Result<ArrivalPattern> parse_arrival_pattern(const std::string& text);

/// Seconds of each rank behind the first of `ranks` in call `draw`; all processes draw the same.
std::vector<double> lateness(const ArrivalPattern& arrival, int ranks, int draw);

}  // namespace tutti::inline choose
