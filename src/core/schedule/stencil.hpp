#pragma once

#include <optional>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

struct Topology;

/// Ranks in a grid, row by row, each with neighbours at the same offsets, as far as these lie in
/// the grid.
struct Stencil {
  std::vector<int> dimensions;
  std::vector<bool> periodic;
  /// One coordinate a dimension, sorted; along a periodic one the shortest way. An offset may be
  /// there several times.
  std::vector<std::vector<int>> offsets;

  std::vector<int> coordinates(Rank rank) const;
  /// The rank that is `by` further along a dimension, if it is in the grid.
  std::optional<Rank> moved(Rank rank, std::size_t dimension, int by) const;
  /// The rank that is further by an offset, if it is in the grid.
  std::optional<Rank> moved(Rank rank, const std::vector<int>& offset) const;
  /// The ways along a dimension that some offset takes, ascending.
  std::vector<int> steps(std::size_t dimension) const;
  /// How many messages a rank sends where blocks go dimension by dimension.
  int messages() const;

  friend bool operator==(const Stencil&, const Stencil&) = default;
};

/// The stencil that all ranks' neighbours in a topology follow, on a grid of up to three
/// dimensions: the one with the fewest messages. Nothing if there is none with fewer than a rank
/// has neighbours.
std::optional<Stencil> find_stencil(const Topology& topology);

/// `ranks` as a product of `dimensions` factors, descending, as equal as they can be.
std::vector<int> balanced_grid(int ranks, int dimensions);

}  // namespace tutti::inline core
