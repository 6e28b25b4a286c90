#pragma once

#include <optional>
#include <string>
#include <vector>

#include "choose/offline/tuner.hpp"

namespace tutti::inline choose {

/// What a table decided at a point that was measured.
struct Decision {
  Point point;
  int hosts;                      ///< of its ranks
  Plan chosen;                    ///< native where that stays
  std::optional<Plan> runner_up;  ///< the fastest other plan there but native, where one was measured

  Placement placement() const { return {point.ranks, hosts}; }
  /// What a validation measures side by side: native, what was chosen, the runner-up.
  std::vector<Plan> plans() const;
};

/// The decisions of a table at all points that it measured; plans that this Tutti does not have are
/// passed over. Between neighbours `stencil` says how many points the stencil has; blocks are as
/// long as they were when the table was made.
std::vector<Decision> decisions_of(const Table& table, int stencil = default_stencil);

/// How a decision stands when it is measured again. It has drifted where another one surely is
/// better now, by what tuning asks of a gain; it is unsure where its gain is not seen, or times
/// tell nothing, or another one seems better in a few runs only.
enum class Standing { holds, unsure, drifted };
std::string_view name(Standing standing);

/// A decision that was measured again.
struct Validated {
  Decision decision;
  Standing standing;
  std::string why;                    ///< "binomial takes 0.71 (0.65 .. 0.80) of native's time"
  std::vector<Measurement> measured;  ///< now
};

/// Measures a decision again. Fails if the measurer does.
Result<Validated> validate(const Decision& decision, Measurer& measurer, Measurer::Effort effort);

/// The table with points that were tuned anew in place of what it knew there, and the rules that
/// follow; all else stays.
Table repaired(Table table, const std::vector<TunedPoint>& fresh);

}  // namespace tutti::inline choose
