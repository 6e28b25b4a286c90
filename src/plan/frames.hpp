#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tutti {

/// A composition whose phases' plans are still open.
struct Frame {
  /// Where one plan is to be named: for that collective on groups of so many ranks.
  struct Slot {
    Collective collective;
    int ranks;
    int shares = 1;  ///< the phases carry one of so many shares of the vector
  };
  enum class Kind { grid, deep_grid, lanes, via, split };

  Kind kind;
  std::string head;  ///< "grid(8x12)"
  std::vector<Slot> slots;

  /// With the MPI library's own phases.
  const std::string& native_text() const { return head; }
  /// With a plan in each slot.
  std::string text(const std::vector<std::string>& plans) const;
};

/// The compositions worth a trial for a collective on so many ranks: grids and lanes of two sides, by hosts
/// where they are known, balanced where there are no factors; grids of three sides that differ little; all
/// ways by other collectives; series of operations on pieces of so many bytes.
std::vector<Frame> frames(Collective collective, const Setting& setting,
                          const std::vector<std::size_t>& pieces = {});

}  // namespace tutti
