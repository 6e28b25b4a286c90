#pragma once

#include <limits>
#include <string_view>
#include <vector>

#include "core/plan/plan.hpp"

namespace tutti::inline core {

struct CompositionKind;

/// A composition whose phases' plans are still open: what tuning may try.
struct CompositionTemplate {
  /// Where one plan is to be named: for that collective on groups of `ranks` ranks.
  struct Slot {
    Collective collective;
    int ranks;
    int shares = 1;  ///< number of shares of the vector, of which the phases carry one
  };

  Plan head;  ///< "grid(8x12)", with open phases
  std::vector<Slot> slots;
  /// Templates of one group differ in size only: where prices tell which is best, one is tried with
  /// the MPI library's own phases.
  std::string_view group;
  bool priced = true;     ///< prices tell
  bool by_hosts = false;  ///< its groups follow hosts, or groups of hosts
  bool near = false;      ///< it is for ranks in the order in which near ones are neighbours by number
  /// The size of calls above which it is not worth trying.
  std::size_t most_bytes = std::numeric_limits<std::size_t>::max();
  /// The plans that belong into the slots where they are not the fastest of each; empty: they are.
  std::vector<Plan> plans = {};

  /// The composition with a plan in each slot, of the slot's collective.
  Plan filled(const std::vector<Plan>& in_slots) const;
};

/// For what compositions are looked for.
struct TemplateRequest {
  const CompositionKind& kind;
  Collective collective;
  const Setting& setting;
  const std::vector<std::size_t>& pieces;  ///< of series of operations, bytes

  Collective regular() const { return traits(collective).regular; }
};

/// The compositions worth trying for a collective, of all kinds there are.
std::vector<CompositionTemplate> templates(Collective collective, const Setting& setting,
                                           const std::vector<std::size_t>& pieces = {});

}  // namespace tutti::inline core
