#pragma once

#include "plan/on_grid.hpp"

namespace tutti {

/// The orthogonal realization of a collective: phases in the rows and in the columns of a grid, the whole
/// vector, or every rank's whole block, passing the columns of the root or all columns at once.
/// Source: Kühnemann, Rauber, Rünger, Optimizing MPI Collective Communication by Orthogonal Structures, 2006,
/// section 2.
class GridPlan final : public OnGrid {
 public:
  GridPlan(Collective collective, GridLayout layout, std::vector<Plan> plans)
      : OnGrid(collective, layout, phases(collective), std::move(plans)) {}

  /// Its phases in the order of time; none if the collective has no such realization.
  static std::vector<GridPhase> phases(Collective collective);

  std::string_view summary() const override {
    return "phases in the rows and the columns of a grid of the ranks";
  }
  std::string_view source() const override {
    return "Kühnemann, Rauber, Rünger, Optimizing MPI Collective Communication by Orthogonal Structures, "
           "2006";
  }

 private:
  void write(Builder& builder, const Grid& grid) const override;
  std::optional<std::string> refuses(const Grid& grid) const override;
  int shares(const Grid& grid) const override;
};

}  // namespace tutti
