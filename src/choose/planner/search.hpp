#pragma once

#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "choose/planner/constants.hpp"
#include "choose/planner/cost_model.hpp"
#include "core/plan/composition_template.hpp"

namespace tutti::inline choose {

/// The plans that a search goes through.
struct PlanSpace {
  /// How the size of a call is shared by the groups of a phase.
  enum class Shares {
    of_total,  ///< all bytes of the call (total_bytes) are what the phase has in all
    of_size,   ///< the phase has the size of the call (CollectiveTraits::size_means)
  };

  Collective collective;
  const Setting& setting;
  std::size_t size;  ///< bytes, see CollectiveTraits::size_means
  /// The network's α/β in bytes, by which parameters are chosen besides the listed ones, if it is
  /// known.
  std::optional<int> half_performance_length = {};
  bool computed = false;            ///< schedules that are computed for the network, too
  bool waiting_in_library = false;  ///< plans that wait in the MPI library, too
  /// Ranks beyond which plans without a closed form are left out, where others have one.
  int most_walked_ranks = std::numeric_limits<int>::max();
  Shares shares = Shares::of_size;
  std::vector<std::size_t> pieces = {};  ///< bytes, of series of operations
};

/// A plan and what a call by it costs.
struct CostedPlan {
  Plan plan;
  CostEstimate cost;
};

inline bool is_cheaper(const CostedPlan& a, const CostedPlan& b) {
  return a.cost.seconds < b.cost.seconds;
}

/// The search for plans: all algorithms, with parameters and through memory, and compositions with
/// algorithms in their slots, by what a source of costs says of them. Setting and costs have to
/// stay as long.
class Search {
 public:
  Search(PlanSpace space, CostModel& costs) : space_(std::move(space)), costs_(costs) {}

  /// All algorithms but native, in the order of the catalogue; then those of them that may gain
  /// where near ranks are neighbours by number, if they are not.
  std::vector<Plan> plans();
  /// These plans in an order for costs that may not have time for all: from the cheapest to the
  /// dearest by a quick model of the network, each on near ranks ahead of it in their own order.
  std::vector<Plan> plans_cheapest_first(const Network& network);
  /// The algorithms of the call that have a cost.
  std::vector<CostedPlan> algorithms() { return costed(plans(), space_.setting, bytes()); }
  /// Whether near ranks are neighbours by number as they are (core's ranks_are_in_near_order),
  /// which is found out when it is first asked for.
  bool ranks_are_near_in_order();
  /// The algorithms on the groups of a slot, as if all of these were as far apart as the first
  /// ranks.
  const std::vector<CostedPlan>& algorithms_in(const CompositionTemplate::Slot& slot);
  /// A plan on a grid of given sides, or another, on near ranks, if that may gain: rows are of
  /// neighbours by number.
  std::optional<Plan> on_near_ranks(const Plan& plan);
  /// The compositions whose phases are still open, of those that are worth trying at the size.
  std::vector<CompositionTemplate> compositions() const;
  /// Whether a plan that was made of others belongs to the space.
  bool has(const Plan& plan) const {
    return !plan.refusal(space_.setting) && (space_.waiting_in_library || !plan.waits_in_library());
  }
  /// What a plan for the whole call costs.
  std::optional<CostEstimate> cost(const Plan& plan) { return costs_.of(plan, space_.setting, bytes()); }
  std::size_t bytes() const { return total_bytes(space_.collective, space_.setting, space_.size); }

 private:
  std::vector<Plan> plans_in_own_order(Collective collective, const Setting& setting) const;
  std::vector<CostedPlan> costed(std::vector<Plan> plans, const Setting& setting, std::size_t bytes);

  PlanSpace space_;
  CostModel& costs_;
  std::optional<bool> near_in_order_;
  std::map<std::tuple<Collective, int, std::size_t>, std::vector<CostedPlan>> in_slots_;
};

}  // namespace tutti::inline choose
