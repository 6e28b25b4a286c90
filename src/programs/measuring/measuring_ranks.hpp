#pragma once

#include <memory>
#include <optional>

#include "choose/evidence/arrival_pattern.hpp"
#include "choose/evidence/measurer.hpp"
#include "programs/measuring/trees.hpp"
#include "programs/measuring/workload.hpp"

namespace tutti::run {

/// The ranks that measure together, and what this rank calls, which is nothing where it is in no
/// group.
struct MeasuringRanks {
  Communicator& all;
  std::unique_ptr<Workload> workload;
  int ranks;  ///< of its group
  Mode mode = Mode::blocking;
  Measurer::Behind behind = Measurer::Behind::nothing;  ///< nonblocking calls
  double native_s = 0;                                  ///< that the blocking call takes, if one has to know
  ArrivalPattern arrival = {};                          ///< when ranks come to calls that are timed

  int run(const Plan& plan) const;
  /// Computing during a call that does not count, in seconds.
  double computing_s() const { return behind == Measurer::Behind::nothing ? 0 : native_s; }

  Trees trees() const { return Trees(all); }
};

/// Calls one after another, timed on every rank from a moment at which all have come: seconds a
/// call. The ranks come to the first one as in call `draw` of the arrival pattern.
double timed(const MeasuringRanks& team, const Plan& plan, int calls, int draw = 0);

/// How many calls one sample takes: ranks leave a barrier one after another, which has to weigh
/// little.
int calls_a_sample(const MeasuringRanks& team, const Plan& plan);

/// What the blocking call takes natively: the median of some of the slowest rank's, on all ranks.
double native_seconds(MeasuringRanks& team);

struct FirstRun {
  double mine, slowest;  ///< seconds
};
/// The first run of a plan: makes its schedule, and shows whether the result is right. Nothing if a
/// rank has a wrong result.
std::optional<FirstRun> try_out(const MeasuringRanks& team, const Plan& plan);

/// Why a call's buffers are too much for the memory of a host, on all ranks; empty if they are not.
std::string why_too_large(const Point& point, Communicator& all);

}  // namespace tutti::run
