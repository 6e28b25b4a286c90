#pragma once

#include "choose/evidence/size_class.hpp"
#include "choose/evidence/table.hpp"
#include "core/schedule/collective.hpp"

namespace tutti::inline choose {

/// What a reduction asks of the order of its operands.
enum class OperandOrders : unsigned char { any, in_rank_order, in_fixed_order };
inline constexpr std::size_t operand_orders = 3;

/// Calls that are learnt of together.
struct CallClass {
  Collective collective;
  Placement placement;  ///< of their communicator
  SizeClass size;       ///< number 0 where ranks can't go by a size
  OperandOrders operands = OperandOrders::any;
  friend auto operator<=>(const CallClass&, const CallClass&) = default;

  /// A size that stands for all of them: in bytes, as CollectiveTraits::size_means.
  std::size_t typical_size() const;
};

}  // namespace tutti::inline choose
