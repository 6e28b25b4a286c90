#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tutti {

/// A phase of a composition as far as it is known beforehand.
struct PhaseUse {
  const Plan* plan;
  int ranks;       ///< of its group
  int shares = 1;  ///< it carries one of so many shares of the vector
};

struct CompositionKind;

/// A plan made of others: collectives on groups of the ranks, one after the other.
class Composition {
 public:
  virtual ~Composition() = default;

  /// Why it can't serve, or nothing.
  std::optional<std::string> refusal(const Setting& setting) const;
  /// Into how many pieces each rank's block is cut where a vector has so many bytes, if the collective has
  /// one a rank.
  virtual int pieces(const Setting&, std::size_t) const { return 1; }
  /// Whether these differ with the bytes.
  virtual bool goes_by_bytes() const { return false; }
  /// Into how many blocks the schedule cuts a vector of so many bytes.
  int blocks(const Setting& setting, std::size_t bytes) const;
  /// What declares it.
  const CompositionKind& kind() const { return kind_; }
  /// One rank's part. It serves the builder's shape.
  virtual void generate(Builder& builder) const = 0;
  /// As of an algorithm.
  virtual bool relays() const = 0;

  bool commutative_only() const;
  bool has_native_phases() const;
  bool uses_memory() const;
  /// In the order of time.
  const std::vector<Plan>& plans() const { return plans_; }

 protected:
  Composition(const CompositionKind& kind, Collective collective, std::vector<Plan> plans)
      : kind_(kind), collective_(collective), plans_(std::move(plans)) {}
  Collective collective() const { return collective_; }
  const Plan& plan(std::size_t phase) const { return plans_[phase]; }

  /// What stands against the composition itself, whatever its phases' plans.
  virtual std::optional<std::string> own_refusal(const Setting& setting) const = 0;
  /// All phases and all sizes of groups in which they run.
  virtual std::vector<PhaseUse> uses(const Setting& setting) const = 0;

 private:
  const CompositionKind& kind_;
  Collective collective_;  // a regular one
  std::vector<Plan> plans_;
};

}  // namespace tutti
