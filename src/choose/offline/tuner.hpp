#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "choose/evidence/measurer.hpp"
#include "core/network/network.hpp"

namespace tutti::inline choose {

/// What is to be tuned.
struct TuningRequest {
  std::vector<Called> operations;
  std::vector<int> ranks;                      ///< sizes of (sub-)communicators
  std::vector<std::size_t> sizes;              ///< bytes, ascending
  double budget_s;                             ///< from the beginning of `tune` on
  Network network;                             ///< chooses what is measured
  bool exhaustive = false;                     ///< everything is measured, whatever its price
  bool fixed_order = false;                    ///< only what keeps the fixed order of operands
  int stencil = default_stencil;               ///< between neighbours: Point::stencil
  BlockLengths lengths = BlockLengths::equal;  ///< of ranks' blocks: Point::lengths
  std::vector<Point> points = {};  ///< just these instead, the most important first; empty: all of the above
};

/// Where tuning stands.
struct TuningProgress {
  double elapsed_s;
  double budget_s;
  std::size_t points_done;
  std::size_t points_known;  ///< done and still to do; refinement adds some
  std::string doing;
  bool again = false;  ///< what was measured before, and is doubtful
};

/// What is known of one point: measurements of native and of candidates, and the plan chosen from
/// them.
struct TunedPoint {
  Point point;
  std::vector<Measurement> measurements;
  Plan plan;
};

struct TuningResult {
  Table table;
  std::size_t unmeasured;  ///< requested points for which the budget was too small
  /// Why plans that failed or gave a wrong result, and points that nobody could measure, were not
  /// considered.
  std::vector<std::string> left_out;
};

struct TuningHooks {
  std::function<void(const TuningProgress&)> progress = [](const TuningProgress&) {};
  /// Called with every point as soon as it is measured, so that an interrupted run can resume.
  std::function<void(const TunedPoint&)> keep = [](const TunedPoint&) {};
  std::function<double()> clock;  ///< seconds since tuning was asked for
};

/// Finds the best plan for each operation, communicator size and message size, within the budget.
///
/// Every point is measured in two stages: native and what is promising by its price (candidates)
/// briefly, then native and the most promising ones again with fresh repetitions. A plan is chosen
/// only if the interval of its ratio to native in the second stage lies below 1, and by enough to
/// matter (2 %; in a simulation any gain counts). Where neighbouring sizes disagree, the size
/// between them is measured too.
/// `known` are points of an earlier, interrupted run: they are not measured again. Plans that
/// fail beside native are left out. Points whose times have two modes, or that no curve over the
/// sizes explains, are measured again; if they stay so they are native and called unstable. Fails
/// if the measurer does with native or with all plans, or if the budget is too small for anything.
Result<TuningResult> tune(const TuningRequest& request, Measurer& measurer,
                          const std::vector<TunedPoint>& known, const TuningHooks& hooks);

/// The rules that follow from tuned points of one operation and placement. Between neighbours that
/// disagree the border is their geometric mean; beyond the outermost points a decision holds for a
/// factor of two. Where each rank knows its own size (has_own_sizes) borders are those of classes.
std::vector<Rule> rules_from(Collective collective, const std::map<std::size_t, Plan>& plan_by_size);
/// The rules that serve points, of which there is at least one. Where ranks would have to agree on
/// sizes (SizeMeans::nothing) and one plan serves all points, none surely better, it serves all
/// other sizes, too.
std::vector<Rule> rules_from(std::span<const TunedPoint* const> points);

}  // namespace tutti::inline choose
