#pragma once

#include "plan/composition.hpp"
#include "plan/grid.hpp"

namespace tutti {

/// Which of a grid's groups take part in a phase.
enum class Level { columns, rows };

struct GridPhase {
  Collective collective;
  Level level;
};

/// The orthogonal realization of a collective: phases in the rows and in the columns of a grid, the whole
/// vector, or every rank's whole block, passing the columns of the root or all columns at once.
/// Source: Kühnemann, Rauber, Rünger, Optimizing MPI Collective Communication by Orthogonal Structures, 2006,
/// section 2.
class GridPlan final : public Composition {
 public:
  GridPlan(Collective collective, GridLayout layout, std::vector<Plan> plans)
      : Composition(collective, std::move(plans)), layout_(layout) {}

  /// Its phases in the order of time; none if the collective has no such realization.
  static std::vector<GridPhase> phases(Collective collective);

  std::string_view summary() const override {
    return "phases in the rows and the columns of a grid of the ranks";
  }
  std::string_view source() const override {
    return "Kühnemann, Rauber, Rünger, Optimizing MPI Collective Communication by Orthogonal Structures, "
           "2006";
  }
  void generate(Builder& builder) const override;
  bool relays() const override;

 private:
  std::optional<std::string> own_refusal(const Setting& setting) const override;
  std::vector<PhaseUse> uses(const Setting& setting) const override;

  GridLayout layout_;
};

}  // namespace tutti
