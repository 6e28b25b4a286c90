#include "core/schedule/sample_topologies.hpp"

#include <algorithm>
#include <random>

namespace tutti::inline core {
namespace {

using OutAndIn = std::vector<std::pair<std::vector<Rank>, std::vector<Rank>>>;

// With extents of one, too: neighbours are then the rank itself.
std::vector<std::vector<int>> grids_of(int ranks) {
  std::vector<std::vector<int>> grids{{ranks}};
  for (int first = 1; first <= ranks; ++first) {
    if (ranks % first != 0) continue;
    grids.push_back({first, ranks / first});
    for (int second = 1; second <= ranks / first; ++second)
      if (ranks / first % second == 0) grids.push_back({first, second, ranks / first / second});
  }
  return grids;
}

void add_offsets(std::size_t dimensions, std::vector<int>& begun, std::vector<std::vector<int>>& offsets) {
  if (begun.size() == dimensions) {
    offsets.push_back(begun);
    return;
  }
  for (const int way : {-1, 0, 1}) {
    begun.push_back(way);
    add_offsets(dimensions, begun, offsets);
    begun.pop_back();
  }
}

// Every rank and those around it, itself among them.
Topology with_diagonals(const std::vector<int>& dimensions, const std::vector<bool>& periodic) {
  const Stencil grid{dimensions, periodic, {}};
  std::vector<std::vector<int>> offsets;
  std::vector<int> begun;
  add_offsets(dimensions.size(), begun, offsets);
  OutAndIn edges;
  int ranks = 1;
  for (const int length : dimensions) ranks *= length;
  for (Rank rank = 0; rank < ranks; ++rank) {
    auto& [out, in] = edges.emplace_back();
    for (std::vector<int> offset : offsets) {
      if (const auto peer = grid.moved(rank, offset)) out.push_back(*peer);
      for (int& way : offset) way = -way;
      if (const auto peer = grid.moved(rank, offset)) in.push_back(*peer);
    }
  }
  return graph_topology(edges);
}

Topology at_random(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  OutAndIn edges(static_cast<std::size_t>(ranks));
  const int number = 1 + draw(4 * ranks);
  for (int edge = 0; edge < number; ++edge) {
    const Rank from = draw(ranks), to = draw(ranks);
    edges[static_cast<std::size_t>(from)].first.push_back(to);
    edges[static_cast<std::size_t>(to)].second.push_back(from);
  }
  for (auto& [out, in] : edges) std::shuffle(in.begin(), in.end(), random);
  return graph_topology(edges, seed % 2 == 0 ? EdgeOrder::as_listed : EdgeOrder::reversed);
}

}  // namespace

std::vector<Topology> sample_topologies(int ranks) {
  std::vector<Topology> all;
  for (const auto& grid : grids_of(ranks))
    for (unsigned ends = 0; ends < 1U << grid.size(); ++ends) {
      std::vector<bool> periodic;
      for (std::size_t k = 0; k < grid.size(); ++k) periodic.push_back((ends >> k & 1U) != 0);
      all.push_back(grid_topology(grid, periodic));
      all.push_back(with_diagonals(grid, periodic));
    }
  constexpr unsigned graphs = 10;
  for (unsigned seed = 0; seed < graphs; ++seed)
    all.push_back(at_random(ranks, static_cast<unsigned>(ranks) * graphs + seed));
  return all;
}

}  // namespace tutti::inline core
