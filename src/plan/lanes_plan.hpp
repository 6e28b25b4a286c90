#pragma once

#include "plan/on_grid.hpp"

namespace tutti {

/// A collective on a grid with full lanes: every column carries a share of the vector, or of the blocks, at
/// once. The grid's rows have to be of one length.
/// Source: Träff, Hunold, Decomposing MPI Collectives for Exploiting Multi-lane Communication, 2020.
class LanesPlan final : public OnGrid {
 public:
  LanesPlan(Collective collective, GridLayout layout, std::vector<Plan> plans)
      : OnGrid(collective, layout, phases(collective), std::move(plans)) {}

  /// Its phases in the order of time; none for a collective whose realization on a grid has full lanes
  /// anyway, or that has none.
  static std::vector<GridPhase> phases(Collective collective);

  std::string_view summary() const override {
    return "phases on a grid of the ranks, every column with a share of the data";
  }
  std::string_view source() const override {
    return "Träff, Hunold, Decomposing MPI Collectives for Exploiting Multi-lane Communication, 2020";
  }

 private:
  void write(Builder& builder, const Grid& grid) const override;
  std::optional<std::string> refuses(const Grid& grid) const override;
  int shares(const Grid& grid) const override;
};

}  // namespace tutti
