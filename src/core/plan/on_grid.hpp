#pragma once

#include <algorithm>

#include "core/plan/compose.hpp"
#include "core/plan/grid.hpp"

namespace tutti::inline core {

/// The groups of a grid that take part in a phase.
enum class Level { columns, rows };

struct GridPhase {
  Collective collective;
  Level level;
};

/// How one collective is realized on a grid of the ranks: its phases in the order of time, and what
/// writes a rank's part.
struct Realization {
  Collective collective;  ///< a regular one
  std::vector<GridPhase> phases;
  void (*write)(Builder& builder, const Grid& grid, bool apart, const std::vector<Plan>& plans);
};

/// What a kind of compositions on a grid declares.
struct GridKind {
  std::vector<Realization> realizations;
  bool shares_in_columns;  ///< every column carries a share of the vector, else all of it
  /// Columns of grids with more than two sides are compositions of this name; empty: two sides
  /// only.
  std::string_view columns_name;
  /// Why plans can't serve on that grid, or nothing.
  std::optional<std::string> (*refuses)(Collective collective, const Grid& grid,
                                        const std::vector<Plan>& plans);

  /// The realization of a collective; null if it has none.
  const Realization* find(Collective regular) const;
};

/// The plan of a text with extents: NAME(8x12), NAME(node), NAME(group,node), NAME(balanced), with
/// a plan for all phases, one for each dimension, or one for each phase.
Result<Plan> compose_on_grid(const Composing& text, const GridKind& kind);

/// The extents of a grid: its sides, or how they follow from the ranks.
struct Extents {
  std::vector<int> sides = {};  ///< of a given grid: two or more
  /// Levels by which the columns of rows by a level are grids again, the outermost first.
  std::vector<GridLayout::Rows> above = {};
  GridLayout layout = {};  ///< its last side against all others together

  static Extents of_sides(std::vector<int> sides);
  /// The outermost level first; at least one.
  static Extents of_levels(std::vector<GridLayout::Rows> levels);
  static Extents by_hosts() { return of_levels({GridLayout::Rows::node}); }
  static Extents balanced() { return {.layout = {.kind = GridLayout::Rows::balanced}}; }

  std::size_t dimensions() const {
    return !above.empty() ? above.size() + 2 : std::max<std::size_t>(sides.size(), 2);
  }
};

/// The extents of a plan on a grid, through memory or not; null for other plans.
const Extents* extents_of(const Plan& plan);

/// A plan on a grid with other extents, as many as it has, or of a grid of two sides by hosts.
/// Ranks are mapped as they are; nothing where that is not possible.
std::optional<Plan> with_extents(const Plan& plan, Extents extents);

/// A composition with open phases on a grid, on which the collective has a realization.
Plan open_on_grid(const TemplateRequest& request, const GridKind& kind, const Extents& extents);

/// Grids of two sides worth trying: by all factors, balanced where there are none, and by hosts and
/// other levels where they are known.
std::vector<CompositionTemplate> templates_on_two_sides(const TemplateRequest& request, const GridKind& kind);

/// Grids of more sides by several levels at once that are known, in `group`.
std::vector<CompositionTemplate> templates_on_levels(const TemplateRequest& request, const GridKind& kind,
                                                     std::string_view group);

/// Grids of the sides of the network's torus, if the ranks fill one, in `group`: an open one, and
/// Bine trees or butterflies along each dimension in turn. Source: De Sensi and others, Swing:
/// Short-cutting Rings for Higher Bandwidth Allreduce, 2024.
std::vector<CompositionTemplate> templates_on_torus(const TemplateRequest& request, const GridKind& kind,
                                                    std::string_view group);

/// Why a text with extents by levels is for the whole communicator only, of which these are known;
/// empty for other texts.
std::string_view levels_of_whole_only(const PlanSyntax& syntax);

}  // namespace tutti::inline core
