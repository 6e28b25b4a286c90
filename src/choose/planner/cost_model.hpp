#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "core/network/network.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/plan_symmetry.hpp"

namespace tutti::inline choose {

/// What a plan is thought to take: its time, and its messages, of all ranks where it is priced on
/// all of them, else of the busiest, or none where nobody counts.
struct CostEstimate {
  double seconds;
  std::optional<double> messages = {};  ///< nothing where they were not counted
};

/// A source of costs.
class CostModel {
 public:
  virtual ~CostModel() = default;
  /// What a call of `bytes` bytes (total_bytes) takes by a plan that is not native and serves it;
  /// nothing where that would take more work than is left.
  virtual std::optional<CostEstimate> of(const Plan& plan, const Setting& setting, std::size_t bytes) = 0;
};

/// No bound on what is simulated for prices.
inline constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

/// Costs that are priced event by event on a network, which has to stay as long.
class EventModel final : public CostModel {
 public:
  struct Bounds {
    std::size_t operations_of_a_plan = unbounded;  ///< of schedules that are simulated
    std::size_t operations = unbounded;            ///< of all of them together
    bool by_symmetry = false;  ///< ranks that stand for all are simulated, and messages not counted
    std::size_t as_they_are = few_operations;  ///< of schedules whose symmetry is not looked for
    /// Plans with phases of the MPI library are not simulated: these take what the network
    /// allows.
    bool native_at_limit = false;
  };
  EventModel(const Network& network, const Bounds& bounds) : network_(network), bounds_(bounds) {}

  std::optional<CostEstimate> of(const Plan& plan, const Setting& setting, std::size_t bytes) override;
  /// Number of operations that were simulated.
  std::size_t spent() const { return spent_; }

 private:
  const Network& network_;
  Bounds bounds_;
  std::size_t spent_ = 0;  // operations
};

/// The literature's closed form of a plan's cost, where it has one, in whatever order ranks are.
std::optional<Cost> closed_form(const Plan& plan, int ranks);

/// Number of messages that a rank sends and gets.
double messages_of(const Part& part);

}  // namespace tutti::inline choose
