#include "choose/planner/cost_model.hpp"

#include <algorithm>

#include "core/network/price.hpp"
#include "core/plan/compositions/near.hpp"

namespace tutti::inline choose {

double messages_of(const Part& part) {
  const auto operations = part.operations();
  return static_cast<double>(std::count_if(operations.begin(), operations.end(),
                                           [](const Operation& o) { return is_message(o.kind); }));
}

std::optional<Cost> closed_form(const Plan& plan, int ranks) {
  const Plan& itself = without_near(plan);
  const Algorithm* algorithm = itself.algorithm();
  return algorithm && algorithm->cost ? algorithm->cost(ranks, itself.arguments()) : std::nullopt;
}

std::optional<CostEstimate> EventModel::of(const Plan& plan, const Setting& setting, std::size_t bytes) {
  const Shape shape = shape_of(plan, setting, 0, bytes);
  if (bounds_.native_at_limit && plan.has_native_phases()) {
    const auto seconds =
        native_seconds(generate(plan, shape, shape.root), shape.blocks, bytes, limit_of(network_));
    return seconds ? std::optional(CostEstimate{*seconds}) : std::nullopt;
  }
  const std::size_t most =
      std::min(bounds_.operations_of_a_plan, bounds_.operations - std::min(bounds_.operations, spent_));
  if (bounds_.by_symmetry) {
    const Outline needed(plan, shape, bytes, network_, most, bounds_.as_they_are);
    if (needed.operations() > most) return std::nullopt;
    spent_ += needed.operations();
    return CostEstimate{price(needed.schedule(), bytes, network_).seconds};
  }
  if (most < unbounded) {
    const std::size_t operations = estimated_operations(plan, shape);
    if (operations > most) return std::nullopt;
    spent_ += operations;
  }
  const Schedule schedule = generate(plan, shape);
  double messages = 0;
  for (const Part& part : schedule.parts) messages += messages_of(part);
  return CostEstimate{price(schedule, bytes, network_).seconds, messages};
}

}  // namespace tutti::inline choose
