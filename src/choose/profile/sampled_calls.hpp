#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/schedule/collective.hpp"

namespace tutti::inline choose {

/// Whether a late rank surely keeps all others waiting. In an irregular all-to-all two ranks may
/// have nothing for each other.
bool surely_waits_for_all(Collective collective);

/// Some calls of one communicator, the same ones on all ranks, which nobody can leave before all
/// have come. All leave at about the same time, so that what a rank spent less in a call than
/// another tells how much later it came: no clock has to be everyone's. A rank keeps its own times;
/// merged, a call keeps the longest, the sum, and who came last, whatever number of ranks there is.
struct SampledCalls {
  /// A rank of the communicator, and how long it was in the call.
  struct Stay {
    int rank = 0;
    double seconds = 0;
    friend auto operator<=>(const Stay&, const Stay&) = default;
  };
  struct Call {
    double longest_s = 0;         ///< of the rank that came first
    double seconds = 0;           ///< of all ranks together
    std::vector<Stay> last = {};  ///< `most_late_ranks` of them at most, who came last first
    /// How much later a rank came than the first one.
    double late_s(const Stay& stay) const { return longest_s - stay.seconds; }
  };

  /// Tells it from others with calls of the same kind: in one place those of the lowest are kept.
  std::uint64_t communicator = 0;
  std::uint64_t of = 0;  ///< calls that each rank made
  int ranks = 0;         ///< whose times are in it
  std::vector<Call> calls = {};

  /// The sampled calls of one rank.
  static SampledCalls of_rank(std::uint64_t communicator, int rank, std::uint64_t of,
                              std::span<const std::uint64_t> times, double seconds_a_time);
  /// Takes other calls of the same rank in their place, if there are more, or as the communicator
  /// says.
  void prefer(SampledCalls other);
  /// Adds the same calls of other ranks. What is of another communicator, or of ranks that made
  /// another number of calls, is left out.
  void merge(const SampledCalls& other);
  /// Whether all ranks of a communicator of so many are in it, with as many calls as it takes to
  /// tell something.
  bool is_whole(int comm_size) const;
};

/// Who comes late to calls.
struct LateRanks {
  struct One {
    int rank;
    double share;   ///< of all calls, to which it came late
    double late_s;  ///< behind the first, the average of these
  };
  double share = 0;       ///< of calls, to which somebody came late
  double late_s = 0;      ///< the last one behind the first, the average of these
  std::vector<One> same;  ///< who is late in most of them, most often first; none: another each time
};

LateRanks late_ranks(const SampledCalls& sampled);

/// "rank 3 is late in 9 of 10 calls, by 2.1 ms"; empty where hardly anybody is.
std::string text_of(const LateRanks& late);

}  // namespace tutti::inline choose
