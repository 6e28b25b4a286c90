#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// A composition whose phases' plans are still open: what tuning may try.
struct CompositionTemplate {
  /// Where one plan is to be named: for that collective on groups of `ranks` ranks.
  struct Slot {
    Collective collective;
    int ranks;
    int shares = 1;  ///< number of shares of the vector, of which the phases carry one
  };

  std::string head;  ///< "grid(8x12)"
  std::vector<Slot> slots;
  /// Templates of one group differ in size only: where prices tell which is best, one is tried with the MPI
  /// library's own phases.
  std::string_view group;
  bool priced = true;     ///< prices tell
  bool by_hosts = false;  ///< its groups follow the hosts
  /// The plans that belong into the slots where they are not the fastest of each; empty: they are.
  std::vector<std::string> plans = {};

  /// The text with the MPI library's own phases.
  const std::string& native_text() const { return head; }
  /// The text with a plan in each slot.
  std::string text(const std::vector<std::string>& in_slots) const;
};

/// For what compositions are looked for.
struct TemplateRequest {
  Collective collective;
  const Setting& setting;
  const std::vector<std::size_t>& pieces;  ///< of series of operations, bytes

  Collective regular() const { return traits(collective).regular; }
};

/// The compositions worth trying for a collective, of all kinds there are.
std::vector<CompositionTemplate> templates(Collective collective, const Setting& setting,
                                           const std::vector<std::size_t>& pieces = {});

}  // namespace tutti::inline core
