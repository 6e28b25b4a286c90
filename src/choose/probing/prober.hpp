#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "choose/evidence/measurer.hpp"
#include "core/network/network.hpp"
#include "core/schedule/schedule.hpp"

namespace tutti::inline choose {

/// What small groups of ranks do while the first of them looks at the clock. `m` is the message's
/// size.
enum class Experiment : std::uint8_t {
  round_trip,     ///< m there and m back
  in_memory,      ///< m there and m back through memory that the two share; 0 where they share none
  there,          ///< m there and nothing back
  burst,          ///< many of m there at once: seconds for one more
  both_ways,      ///< m there while m comes back
  send_call,      ///< the call that sends m, its receiver waiting
  receive_call,   ///< the call that receives m, which has come long before
  late_receiver,  ///< the call that sends m, as a share of the time by which the receiver is late
  one_to_all,     ///< m to all others of a group at once and nothing back from each
  all_to_one,     ///< m from all others of a group at once
  all_to_all,     ///< m from each of a group to each other at once, and nothing back
  crossing,       ///< m from each of a group's first half to each of its second at once, and nothing back
};

/// "round_trip" and so on, and back; no experiment has another name.
std::string_view name(Experiment experiment);
std::optional<Experiment> experiment_named(std::string_view name);

/// Makes experiments on the ranks of a site.
class Prober {
 public:
  virtual ~Prober() = default;
  virtual const Site& site() const = 0;

  /// Runs an experiment in several groups at the same time, no rank in two of them; groups are
  /// pairs, of a crossing any even number, of what is from or to all any; their first rank is the
  /// one that measures. Seconds by group: the median over the repetitions.
  virtual Result<std::vector<double>> run(Experiment experiment, const std::vector<std::vector<Rank>>& groups,
                                          std::size_t bytes, int repetitions) = 0;

  /// What combining costs on rank 0, by operation and type.
  virtual Result<std::vector<Combination>> combine() = 0;
};

}  // namespace tutti::inline choose
