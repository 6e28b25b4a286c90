#include "core/schedule/stencil.hpp"

#include <algorithm>
#include <set>

#include "core/schedule/topology.hpp"

namespace tutti::inline core {
namespace {

constexpr std::size_t most_dimensions = 3;

// The shortest of the ways that are alike along a periodic dimension.
int shortest(int way, int length) {
  way = (way % length + length) % length;
  return way > length / 2 ? way - length : way;
}

// All ways to write `ranks` as a product of `dimensions` factors above 1.
void add_grids(int ranks, std::size_t dimensions, std::vector<int>& begun,
               std::vector<std::vector<int>>& grids) {
  if (dimensions == 1) {
    begun.push_back(ranks);
    grids.push_back(begun);
    begun.pop_back();
    return;
  }
  for (int factor = 2; factor <= ranks / 2; ++factor) {
    if (ranks % factor != 0) continue;
    begun.push_back(factor);
    add_grids(ranks / factor, dimensions - 1, begun, grids);
    begun.pop_back();
  }
}

// Whether a list of ranks has just those at the stencil's offsets, or at the opposite ones.
bool follows(const Stencil& stencil, Rank rank, const std::vector<Neighborhood::Edge>& edges, int sign) {
  std::vector<Rank> there, expected;
  for (const auto& edge : edges) there.push_back(edge.peer);
  for (std::vector<int> offset : stencil.offsets) {
    for (int& way : offset) way *= sign;
    if (const auto peer = stencil.moved(rank, offset)) expected.push_back(*peer);
  }
  std::sort(there.begin(), there.end());
  std::sort(expected.begin(), expected.end());
  return there == expected;
}

bool follows(const Stencil& stencil, const Topology& topology) {
  for (Rank rank = 0; rank < topology.ranks(); ++rank)
    if (!follows(stencil, rank, topology[rank].out, 1) || !follows(stencil, rank, topology[rank].in, -1))
      return false;
  return true;
}

// On such a grid, as a rank with the most neighbours has them.
Stencil as_seen_by(Rank rank, const Topology& topology, const std::vector<int>& dimensions,
                   const std::vector<bool>& periodic) {
  Stencil stencil{dimensions, periodic, {}};
  const auto here = stencil.coordinates(rank);
  for (const auto& edge : topology[rank].out) {
    auto offset = stencil.coordinates(edge.peer);
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      offset[k] -= here[k];
      if (periodic[k]) offset[k] = shortest(offset[k], dimensions[k]);
    }
    stencil.offsets.push_back(std::move(offset));
  }
  std::sort(stencil.offsets.begin(), stencil.offsets.end());
  return stencil;
}

}  // namespace

std::vector<int> Stencil::coordinates(Rank rank) const {
  std::vector<int> here(dimensions.size());
  for (std::size_t k = dimensions.size(); k-- > 0; rank /= dimensions[k]) here[k] = rank % dimensions[k];
  return here;
}

std::optional<Rank> Stencil::moved(Rank rank, std::size_t dimension, int by) const {
  int stride = 1;
  for (std::size_t k = dimension + 1; k < dimensions.size(); ++k) stride *= dimensions[k];
  const int length = dimensions[dimension], here = rank / stride % length;
  int there = here + by;
  if (periodic[dimension]) there = (there % length + length) % length;
  if (there < 0 || there >= length) return std::nullopt;
  return rank + (there - here) * stride;
}

std::optional<Rank> Stencil::moved(Rank rank, const std::vector<int>& offset) const {
  std::optional<Rank> there = rank;
  for (std::size_t k = 0; k < offset.size() && there; ++k) there = moved(*there, k, offset[k]);
  return there;
}

std::vector<int> Stencil::steps(std::size_t dimension) const {
  std::set<int> ways;
  for (const auto& offset : offsets)
    if (offset[dimension] != 0) ways.insert(offset[dimension]);
  return {ways.begin(), ways.end()};
}

int Stencil::messages() const {
  std::size_t all = 0;
  for (std::size_t k = 0; k < dimensions.size(); ++k) all += steps(k).size();
  return static_cast<int>(all);
}

std::optional<Stencil> find_stencil(const Topology& topology) {
  const int ranks = topology.ranks();
  Rank busiest = 0;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (topology[rank].out.size() > topology[busiest].out.size()) busiest = rank;
  std::vector<std::vector<int>> grids;
  std::vector<int> begun;
  for (std::size_t dimensions = 1; dimensions <= most_dimensions; ++dimensions)
    add_grids(ranks, dimensions, begun, grids);
  const auto others = static_cast<int>(
      std::ranges::count_if(topology[busiest].out, [&](const auto& edge) { return edge.peer != busiest; }));
  std::optional<Stencil> best;
  for (const auto& grid : grids)
    for (unsigned ends = 0; ends < 1U << grid.size(); ++ends) {
      std::vector<bool> periodic;
      for (std::size_t k = 0; k < grid.size(); ++k) periodic.push_back((ends >> k & 1U) == 0);
      Stencil stencil = as_seen_by(busiest, topology, grid, periodic);
      if (stencil.messages() >= (best ? best->messages() : others)) continue;
      if (follows(stencil, topology)) best = std::move(stencil);
    }
  return best;
}

std::vector<int> balanced_grid(int ranks, int dimensions) {
  if (dimensions == 1) return {ranks};
  std::vector<int> best;
  for (int factor = 1; factor <= ranks; ++factor) {
    if (ranks % factor != 0) continue;
    std::vector<int> grid = balanced_grid(ranks / factor, dimensions - 1);
    grid.push_back(factor);
    std::sort(grid.rbegin(), grid.rend());
    if (best.empty() || grid.front() - grid.back() < best.front() - best.back()) best = std::move(grid);
  }
  return best;
}

}  // namespace tutti::inline core
