#pragma once

#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "choose/offline/tuner.hpp"
#include "choose/planner/candidates.hpp"

namespace tutti::inline choose {

/// The interval of a plan's ratio to native has to lie below that to count as a gain: where times
/// scatter a gain has to be one in the next run and program, too.
double enough_of_a_gain(const Site& site);

/// Whether something was repeated often enough to conclude anything from it.
bool tells_enough(int repetitions, const Site& site);

/// Whether a plan was measured often enough, and gains enough.
bool surely_gains(const Measurement& measurement, const Site& site);

/// Finds the best plan for one point after the other.
class PointTuner {
 public:
  PointTuner(const TuningRequest& request, Measurer& measurer, std::function<double()> clock)
      : request_(request), measurer_(measurer), clock_(std::move(clock)) {}

  struct Allowed {
    double share;   ///< seconds that this point may take
    double until;   ///< on the clock: nothing begins after that
    double latest;  ///< on the clock: what has not ended then is ended by force
    std::function<void(const std::string&)> show;
  };
  /// Measures native and what is promising, and chooses. Nothing where the point can't be measured:
  /// `left_out` says why. Fails if the measurer does with native or with all plans.
  Result<std::optional<TunedPoint>> measure(const Point& point, const Allowed& allowed);

  /// Lets the candidates of a point be chosen while others are measured: in simulations, which
  /// leave processors free.
  void prepare(const Point& point, double share);

  /// Seconds that a point takes at least by what a smaller one of the kind took; 0 if nothing is
  /// known.
  double expected(const TunedPoint& smaller) const;

  /// Why plans, or points, were not considered.
  std::vector<std::string> left_out;

 private:
  Result<std::optional<TunedPoint>> measure_known(const Point& point, std::vector<Plan> all,
                                                  double least_seconds, double share, const Allowed& allowed);
  Result<std::optional<TunedPoint>> measure_simulated(const Point& point, const std::vector<Plan>& all,
                                                      const Allowed& allowed);
  Result<std::vector<Measurement>> screen(const Point& point, std::vector<Plan>& plans,
                                          Measurer::Effort effort);
  Result<std::vector<Plan>> that_hide_as_much(const Point& point, const std::vector<Plan>& plans,
                                              Measurer::Effort effort);
  TunedPoint choose(const Point& point, const std::vector<Plan>& plans, std::vector<Measurement> screened,
                    const std::vector<Measurement>& confirmed) const;
  Choice choice(double share) const;
  double limit(const Allowed& allowed) const;
  double operations_of(const Plan& plan, const Point& point) const;
  Candidates candidates_of(const Point& point, double share);

  const TuningRequest& request_;
  Measurer& measurer_;
  std::function<double()> clock_;
  std::map<Point, std::future<Candidates>> prepared_;
  std::map<std::pair<Called, int>, std::size_t> endless_;  // from which size on native can't be measured
  std::map<Point, double> native_spent_;                   // in simulations: seconds on the wall
  double seconds_an_operation_ = 30e-6;                    // the same, of plans measured so far
};

}  // namespace tutti::inline choose
