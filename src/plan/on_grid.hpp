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

/// What compositions on a grid of the ranks have in common.
class OnGrid : public Composition {
 public:
  void generate(Builder& builder) const final;
  bool relays() const final;

 protected:
  OnGrid(Collective collective, GridLayout layout, std::vector<GridPhase> phases, std::vector<Plan> plans)
      : Composition(collective, std::move(plans)), layout_(layout), phases_(std::move(phases)) {}
  const GridLayout& layout() const { return layout_; }

 private:
  virtual void write(Builder& builder, const Grid& grid) const = 0;
  /// Why it can't be on that grid, or nothing.
  virtual std::optional<std::string> refuses(const Grid& grid) const = 0;
  /// How many shares of the vector there are in the columns.
  virtual int shares(const Grid& grid) const = 0;

  std::optional<std::string> own_refusal(const Setting& setting) const final;
  std::vector<PhaseUse> uses(const Setting& setting) const final;

  GridLayout layout_;
  std::vector<GridPhase> phases_;
};

}  // namespace tutti
