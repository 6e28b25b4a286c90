#pragma once

#include <string>
#include <vector>

#include "tuning/table.hpp"

namespace tutti {

/// Where something is measured: an operation on the first `ranks` ranks, at one size.
struct Point {
  Collective collective;
  int ranks;
  std::size_t size;  ///< bytes, see CollectiveTraits::size_means
  friend auto operator<=>(const Point&, const Point&) = default;
};

/// What runs the measurements: ranks somewhere, reached through a launcher.
struct Site {
  Fingerprint fingerprint;
  int ranks = 0;
  Hosts hosts;
  bool simulated = false;  ///< times repeat exactly: one repetition tells all

  /// What plans have to serve there.
  Setting setting() const { return {.ranks = ranks, .hosts = &hosts, .has_memory = !simulated}; }
};

/// Measures plans side by side on the ranks of a site.
class Measurer {
 public:
  virtual ~Measurer() = default;

  virtual const Site& site() const = 0;

  struct Effort {
    int repetitions;  ///< at most; at least one is made
    double seconds;   ///< repetitions stop when this has passed
  };
  struct Samples {
    int hosts;                                 ///< of the ranks that took part
    std::vector<std::vector<double>> seconds;  ///< by plan and repetition: the slowest rank's time
  };
  /// Runs the plans in turn, again and again. The plans are those of the point's collective.
  virtual Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort effort) = 0;
};

/// Measures a point and summarizes it, a measurement for each plan; the first plan is native.
Result<std::vector<Measurement>> measure_plans(Measurer& measurer, const Point& point,
                                               const std::vector<Plan>& plans, Measurer::Effort effort);

}  // namespace tutti
