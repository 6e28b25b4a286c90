#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/phase_plans.hpp"
#include "core/plan/plan.hpp"

namespace tutti::inline core {

/// A phase of a composition as far as it is known beforehand.
struct PhaseUse {
  const Plan* plan;
  int ranks;                                   ///< of its group
  int shares = 1;                              ///< number of shares of the vector, of which it carries one
  bool of_whole_vectors = false;               ///< each of its blocks is a whole vector
  std::shared_ptr<const Plan> made = nullptr;  ///< keeps a plan that was made for this setting
};

struct CompositionKind;

/// A plan made of others: collectives on groups of the ranks, one after the other.
class Composition {
 public:
  virtual ~Composition() = default;

  /// Why it can't serve, or nothing.
  std::optional<std::string> refusal(const Setting& setting) const;
  /// Number of pieces into which each rank's block is cut where a vector has that many bytes, if
  /// the collective has one a rank.
  virtual int pieces(const Setting&, std::size_t) const { return 1; }
  /// Whether the pieces differ with the bytes.
  virtual bool goes_by_bytes() const { return false; }
  /// Whether schedules depend on the network, where one is known.
  virtual bool goes_by_network() const { return false; }
  /// Number of blocks into which the schedule cuts a vector of `bytes` bytes.
  int blocks(const Setting& setting, std::size_t bytes) const;
  /// What declares it.
  const CompositionKind& kind() const { return kind_; }
  /// The text of the plan.
  std::string text() const { return head() + in_brackets_; }
  /// The plan that is this composition with those plans in its phases.
  virtual Result<Plan> with_phases(const PhasePlans& phases) const = 0;
  /// One rank's part. It serves the builder's shape.
  virtual void generate(Builder& builder) const = 0;
  /// Whether ranks pass on blocks that are not theirs, as Algorithm says.
  virtual bool relays() const = 0;
  /// Whether it combines results in the fixed order (Conditions::fixed_order) on `ranks` ranks.
  virtual bool keeps_fixed_order(int) const { return false; }

  bool commutative_only() const;
  bool has_native_phases() const;
  /// Whether ranks wait in the MPI library, as Plan says.
  virtual bool waits_in_library() const;
  bool uses_memory() const;
  /// The phases' plans, in the order of time.
  const std::vector<Plan>& plans() const { return plans_; }

 protected:
  /// `plans` are those of the phases, in the order of time, that follow from the ones `given`.
  Composition(const CompositionKind& kind, Collective collective, const PhasePlans& given,
              std::vector<Plan> plans);
  /// Another composition with plans in its phases that are written as there.
  Composition(const Composition& other, std::vector<Plan> plans) : Composition(other) {
    plans_ = std::move(plans);
  }
  Composition(const Composition&) = default;
  Collective collective() const { return collective_; }
  const Plan& plan(std::size_t phase) const { return plans_[phase]; }

  /// The text but for the phases' plans, such as "grid(8x12)".
  virtual std::string head() const = 0;
  /// What stands against the composition itself, whatever its phases' plans.
  virtual std::optional<std::string> own_refusal(const Setting& setting) const = 0;
  /// All phases and all sizes of groups in which they run.
  virtual std::vector<PhaseUse> uses(const Setting& setting) const = 0;

 private:
  // Whether a phase is left to the MPI library, or something is true of its plan.
  bool any_is_native_or(bool (Plan::*what)() const) const;

  const CompositionKind& kind_;
  Collective collective_;    // a regular one
  std::string in_brackets_;  // or in parentheses
  std::vector<Plan> plans_;
};

}  // namespace tutti::inline core
