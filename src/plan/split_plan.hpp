#pragma once

#include <string_view>

#include "plan/composition.hpp"

namespace tutti {

/// A gather, scatter, allgather or alltoall as a series of smaller ones: every rank's block is cut into
/// pieces of at most so many bytes. Between the pieces of a gather all ranks wait for each other, so that
/// never more than one piece of everybody is on its way to the root: queues that would overflow do not.
/// Source: Lastovetsky, O'Flynn, Rychkov, Optimization of Collective Communications in HeteroMPI, 2007.
class SplitPlan final : public Composition {
 public:
  SplitPlan(Collective collective, std::size_t piece, Plan plan)
      : Composition(collective, {std::move(plan)}), piece_(piece) {}

  /// Whether the collective can be split.
  static bool serves(Collective collective);

  std::string_view summary() const override { return "a series of smaller operations"; }
  std::string_view source() const override {
    return "Lastovetsky, O'Flynn, Rychkov, Optimization of Collective Communications in HeteroMPI, 2007";
  }
  void generate(Builder& builder) const override;
  bool relays() const override { return plan(0).relays(); }
  int pieces(const Setting& setting, std::size_t bytes) const override;
  bool goes_by_bytes() const override { return true; }

 private:
  std::optional<std::string> own_refusal(const Setting&) const override { return std::nullopt; }
  std::vector<PhaseUse> uses(const Setting& setting) const override { return {{&plan(0), setting.ranks}}; }

  std::size_t piece_;  // bytes
};

}  // namespace tutti
