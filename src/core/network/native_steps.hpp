#pragma once

#include <vector>

#include "core/network/cut.hpp"
#include "core/network/situation.hpp"
#include "core/schedule/messages.hpp"

namespace tutti::inline core {

/// How much a native phase moves, as far as some of its group know: blocks.
class PhaseSize {
 public:
  void add(const NativePhase& phase);
  /// Number of blocks that a rank gets or gives in all, at most.
  int vector() const { return vector_; }
  /// Bytes, as CollectiveTraits::size_means says of the phase's collective.
  std::size_t bytes(Collective collective, const Cut& cut) const;

 private:
  int vector_ = 0, block_ = 0;  // the latter: the longest single one
};

/// Native phases of one collective that come equally late: they work beside each other.
struct NativeStep {
  Collective collective;
  std::vector<std::vector<Rank>> groups;
  std::size_t bytes;  ///< what the largest passes on, see PhaseSize
  Situation situation;
};

struct NativeSteps {
  std::vector<NativeStep> list;         ///< in the order of time
  std::vector<std::size_t> of_meeting;  ///< the number of each meeting's step
};

/// The native phases of a whole schedule, which meet as `meetings` says, on a vector of `bytes`
/// bytes; on these hosts (empty: every rank on one of its own).
NativeSteps native_steps(const Schedule& schedule, const Meetings& meetings, std::size_t bytes,
                         const Hosts& hosts);

}  // namespace tutti::inline core
