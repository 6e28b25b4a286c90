#pragma once

#include "plan/grid_plan.hpp"

namespace tutti {

/// A collective on a grid with full lanes: every column carries a share of the vector, or of the blocks, at
/// once. The grid's rows have to be of one length.
/// Source: Träff, Hunold, Decomposing MPI Collectives for Exploiting Multi-lane Communication, 2020.
class LanesPlan final : public Composition {
 public:
  LanesPlan(Collective collective, GridLayout layout, std::vector<Plan> plans)
      : Composition(collective, std::move(plans)), layout_(layout) {}

  /// Its phases in the order of time; none for a collective whose realization on a grid has full lanes
  /// anyway, or that has none.
  static std::vector<GridPhase> phases(Collective collective);

  std::string_view summary() const override {
    return "phases on a grid of the ranks, every column with a share of the data";
  }
  std::string_view source() const override {
    return "Träff, Hunold, Decomposing MPI Collectives for Exploiting Multi-lane Communication, 2020";
  }
  void generate(Builder& builder) const override;
  bool relays() const override;

 private:
  std::optional<std::string> own_refusal(const Setting& setting) const override;
  std::vector<PhaseUse> uses(const Setting& setting) const override;

  GridLayout layout_;
};

}  // namespace tutti
