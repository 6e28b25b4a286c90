#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/stencil.hpp"

namespace tutti::inline core {

/// The neighbours of one rank: where its blocks go to, and where those come from that it gets.
struct Neighborhood {
  struct Edge {
    Rank peer;
    int block;  ///< of the caller's buffer
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  /// Between two ranks the j-th edge out belongs to the j-th edge in: `in` is in the order in which
  /// the MPI library matches them, which need not be that of its blocks.
  std::vector<Edge> out, in;
  /// Blocks of the caller's buffers, those to and from nobody among them.
  int out_blocks = 0, in_blocks = 0;
  friend bool operator==(const Neighborhood&, const Neighborhood&) = default;
};

/// In which order several edges between the same two ranks belong together, by the list of those
/// in: libraries differ.
enum class EdgeOrder : unsigned char {
  as_listed,
  reversed,
  /// In grids: what goes out in one direction comes in from the other, as the standard says.
  crossing
};

/// Who is whose neighbour in a communicator.
struct Topology {
  std::vector<Neighborhood> of;  ///< by rank
  /// The pattern that all ranks' neighbours follow, where there is one that saves messages.
  std::optional<Stencil> stencil = {};
  /// What communicators whose ranks have such neighbours have in common: "grid of 4 round x 2".
  /// Empty for graphs that follow no pattern, each of which is by itself.
  std::string shape = {};

  int ranks() const { return static_cast<int>(of.size()); }
  const Neighborhood& operator[](Rank rank) const { return of[static_cast<std::size_t>(rank)]; }
  /// Blocks of a schedule: as many as any rank has in one of its buffers.
  int blocks() const;
  /// The rank, and its block, that comes in by an edge of `rank`, which is one of its `in`.
  Neighborhood::Edge origin(Rank rank, const Neighborhood::Edge& edge) const;
  /// Whether all edges go both ways, and from each rank there is a way to every other: what two
  /// neighbours send each other is then equally long everywhere, where MPI wants that of each pair.
  bool is_mutual_and_connected() const;
  /// Whether two ranks, or one with itself, have several edges in one direction.
  bool has_repeated_edges() const;
};

/// Matches several edges between the same ranks in another order.
void put_in_order(Topology& topology, EdgeOrder order);

/// "rank 0 sends to 1 3 and gets from 1 3": of the first rank, and what the stencil is.
std::string describe(const Topology& topology);

/// The neighbours in a grid: along each dimension the rank before and the one behind, as MPI lists
/// them. Where a grid ends there is a block for nobody.
Topology grid_topology(const std::vector<int>& dimensions, const std::vector<bool>& periodic,
                       EdgeOrder order = EdgeOrder::crossing);

/// The topology of a graph: of each rank those it sends to and those it gets from, in order. Its
/// stencil is looked for.
Topology graph_topology(const std::vector<std::pair<std::vector<Rank>, std::vector<Rank>>>& out_and_in,
                        EdgeOrder order = EdgeOrder::as_listed);

/// Points of the stencil that is measured where nobody says more.
inline constexpr int default_stencil = 27;

/// A stencil of 5 or 9 points in a plane, 7 or 27 in space, periodic, on a grid that is about as
/// long as wide. Nothing for other numbers of points.
std::optional<Topology> stencil_topology(int points, int ranks);

}  // namespace tutti::inline core
