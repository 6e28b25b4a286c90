#pragma once

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "choose/evidence/table.hpp"
#include "core/schedule/topology.hpp"

namespace tutti::inline choose {

/// Where something is measured: an operation on the first `ranks` ranks, at one size.
struct Point {
  Collective collective;
  int ranks;
  std::size_t size;  ///< bytes, see CollectiveTraits::size_means
  Mode mode = Mode::blocking;
  int stencil = default_stencil;               ///< between neighbours: number of points
  BlockLengths lengths = BlockLengths::equal;  ///< of ranks' blocks, where the operation has some

  Called called() const { return {collective, mode}; }
  /// Sizes of the same calls stand together.
  friend auto operator<=>(const Point& a, const Point& b) {
    return std::tuple(a.called(), a.ranks, a.size, a.stencil, a.lengths) <=>
           std::tuple(b.called(), b.ranks, b.size, b.stencil, b.lengths);
  }
  friend bool operator==(const Point&, const Point&) = default;
};

/// The neighbours there, where the operation is one between neighbours.
std::optional<Topology> topology_of(const Point& point);

/// What runs the measurements: ranks somewhere, reached through a launcher.
struct Site {
  Fingerprint fingerprint;
  int ranks = 0;
  Hosts hosts;
  bool simulated = false;  ///< times repeat exactly: one repetition tells all
  /// What serves native calls there, where the MPI library says.
  std::vector<LibraryComponent> components = {};
  PlacesInHosts in_hosts = {};

  /// What plans have to serve there.
  Setting setting() const {
    return {.ranks = ranks, .hosts = &hosts, .in_hosts = &in_hosts, .has_memory = !simulated};
  }
};

/// Measures plans side by side on the ranks of a site.
class Measurer {
 public:
  virtual ~Measurer() = default;

  virtual const Site& site() const = 0;

  /// What ranks do between start and end of a nonblocking call: nothing, or compute for as long as
  /// the blocking one takes natively, with looks at the request in between, which does not count;
  /// or in turn either, and both count.
  enum class Behind { nothing, computing, either };

  struct Effort {
    int repetitions;  ///< at most; at least one is made
    double seconds;   ///< on the wall: when this has passed repetitions stop, and further plans are left out
    /// Seconds from now on. What has not ended then is ended by force, and nothing was measured.
    double latest_s = std::numeric_limits<double>::infinity();
    Behind behind = Behind::nothing;
  };
  struct Samples {
    int hosts;  ///< of the ranks that took part
    /// By plan and repetition: the slowest rank's time. Plans for which there was no time have
    /// none.
    std::vector<std::vector<double>> seconds;
    std::string left_out = {};  ///< why no plan has any: the point needs too much memory, or time
    /// When each rank of a group was done, in seconds, by plan and rank: in the slowest of groups
    /// beside each other, of calls that were timed one by one.
    std::vector<std::vector<double>> leaves_s = {};
  };
  /// Runs the plans in turn, again and again. The plans are those of the point's collective.
  virtual Result<Samples> measure(const Point& point, const std::vector<Plan>& plans, Effort effort) = 0;
};

struct Measured {
  std::vector<Measurement> of_plans;  ///< without those for which there was no time
  std::string left_out;               ///< why there are none
};
/// What was sampled, put into words.
Measured summarize(const Point& point, const std::vector<Plan>& plans, const Measurer::Samples& samples);
/// Measures a point and summarizes it; the first plan is native.
Result<Measured> measure_plans(Measurer& measurer, const Point& point, const std::vector<Plan>& plans,
                               Measurer::Effort effort);

}  // namespace tutti::inline choose
