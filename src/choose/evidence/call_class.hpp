#pragma once

#include <string>
#include <string_view>

#include "choose/evidence/size_class.hpp"
#include "choose/evidence/table.hpp"
#include "core/schedule/collective.hpp"

namespace tutti::inline choose {

/// What a reduction asks of the order of its operands.
enum class OperandOrders : unsigned char { any, in_rank_order, in_fixed_order };
inline constexpr std::size_t operand_orders = 3;

/// Whether each rank knows of the size of such calls only what it gives and gets itself. Where
/// ranks agree on one it is that of the mean block of the rank where it is largest.
constexpr bool has_own_sizes(Collective collective) {
  return traits(collective).size_means == SizeMeans::nothing && collective != Collective::barrier;
}

/// What the size of such calls is, in words: "the whole vector".
constexpr std::string_view describe_size(Collective collective) {
  return has_own_sizes(collective) ? "the average block of the rank with most"
                                   : describe(traits(collective).size_means);
}

/// Calls that are learnt of together.
struct CallClass {
  Collective collective;
  Placement placement;  ///< of their communicator
  /// Number 0 where ranks can't go by a size. Where each knows its own (has_own_sizes): of the mean
  /// block of the rank where that is largest, as ranks have told each other of earlier calls.
  SizeClass size;
  OperandOrders operands = OperandOrders::any;
  std::string neighbors = {};  ///< Topology::shape, of calls between neighbours
  Mode mode = Mode::blocking;
  friend auto operator<=>(const CallClass&, const CallClass&) = default;

  Called called() const { return {collective, mode}; }
  /// A size that stands for all of them: in bytes, as CollectiveTraits::size_means.
  std::size_t typical_size() const { return size.typical(); }
  /// Whether calls on other communicators, of this program and others, are of this class, too: not
  /// where neighbours follow no pattern.
  bool is_shared() const { return !traits(collective).on_neighbors || !neighbors.empty(); }
  /// This class, or one that tells only that there are such calls, where it is not shared.
  CallClass as_shared() const {
    CallClass shared = *this;
    if (!is_shared()) shared.neighbors = "of any shape";
    return shared;
  }
};

}  // namespace tutti::inline choose
