#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "base/result.hpp"
#include "core/network/situation.hpp"
#include "core/schedule/collective.hpp"

namespace tutti::inline choose {

/// A confidence interval and the estimate in it.
struct Interval {
  double low, middle, high;
};

/// What was measured of one plan at one point. Times are those of the slowest rank, in seconds.
struct Measurement {
  Collective collective;
  int ranks;
  int hosts;
  std::size_t size;
  std::string plan;
  Interval seconds;          ///< median with its 95 % interval
  double mean;               ///< of the same, in seconds: more where some runs take much longer
  Interval ratio_to_native;  ///< median over the repetitions of plan / native, with its 95 % interval
  int repetitions;
  bool two_modes = false;  ///< its times fall into two groups far apart
  bool unstable = false;   ///< measured again, its point showed what no curve explains: nothing is concluded
  double price_s =
      0;  ///< seconds that it was thought to take, on the network's model; 0 where it has no price
  std::optional<Situation> situation =
      {};                             ///< of groups of `ranks` ranks that were measured beside each other
  std::vector<double> leaves_s = {};  ///< when each rank of such a group was done; empty where not known
  Mode mode = Mode::blocking;
  Called called() const { return {collective, mode}; }
};

/// Fields as in the output of `tutti bench --json`: operation, ranks, size, plan, median_s, low_s,
/// high_s, mean_s, ratio_to_native, ….
void to_json(Json& json, const Measurement& measurement);
void from_json(const Json& json, Measurement& measurement);

/// The measurements in what `tutti bench --json` prints, or in a table; `source` names it in
/// errors.
Result<std::vector<Measurement>> parse_measurements(const std::string& text, const std::string& source);

}  // namespace tutti::inline choose
