#include "core/schedule/topology.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tutti::inline core {
namespace {

// "4 round x 2": the first dimension is periodic.
std::string lengths_text(const std::vector<int>& dimensions, const std::vector<bool>& periodic) {
  std::vector<std::string> lengths;
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    lengths.push_back(fmt::format("{}{}", dimensions[d], periodic[d] ? " round" : ""));
  return fmt::format("{}", fmt::join(lengths, " x "));
}

std::string shape_text(const Stencil& stencil) {
  std::vector<std::string> offsets;
  for (const auto& offset : stencil.offsets) offsets.push_back(fmt::format("({})", fmt::join(offset, " ")));
  return fmt::format("offsets {} on a grid of {}", fmt::join(offsets, " "),
                     lengths_text(stencil.dimensions, stencil.periodic));
}

// All that can be reached from the first rank, by edges in either direction.
int reached(const Topology& topology) {
  std::vector<bool> seen(topology.of.size(), false);
  std::vector<Rank> open{0};
  seen[0] = true;
  int count = 0;
  while (!open.empty()) {
    const Rank rank = open.back();
    open.pop_back();
    ++count;
    for (const auto* edges : {&topology[rank].out, &topology[rank].in})
      for (const auto& edge : *edges)
        if (!seen[static_cast<std::size_t>(edge.peer)]) {
          seen[static_cast<std::size_t>(edge.peer)] = true;
          open.push_back(edge.peer);
        }
  }
  return count;
}

std::vector<Rank> peers(const std::vector<Neighborhood::Edge>& edges) {
  std::vector<Rank> ranks;
  for (const auto& edge : edges) ranks.push_back(edge.peer);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

int Topology::blocks() const {
  int most = 1;
  for (const Neighborhood& neighbors : of) most = std::max({most, neighbors.out_blocks, neighbors.in_blocks});
  return most;
}

Neighborhood::Edge Topology::origin(Rank rank, const Neighborhood::Edge& edge) const {
  auto before = std::count_if((*this)[rank].in.begin(),
                              std::find((*this)[rank].in.begin(), (*this)[rank].in.end(), edge),
                              [&](const auto& other) { return other.peer == edge.peer; });
  for (const auto& out : (*this)[edge.peer].out)
    if (out.peer == rank && before-- == 0) return {edge.peer, out.block};
  return {-1, -1};  // the two disagree
}

bool Topology::is_mutual_and_connected() const {
  for (const Neighborhood& neighbors : of)
    if (peers(neighbors.out) != peers(neighbors.in)) return false;
  return reached(*this) == ranks();
}

bool Topology::has_repeated_edges() const {
  return std::ranges::any_of(of, [](const Neighborhood& neighbors) {
    const auto out = peers(neighbors.out), in = peers(neighbors.in);
    return std::adjacent_find(out.begin(), out.end()) != out.end() ||
           std::adjacent_find(in.begin(), in.end()) != in.end();
  });
}

void put_in_order(Topology& topology, EdgeOrder order) {
  const auto place = [order](const Neighborhood::Edge& edge) {
    return order == EdgeOrder::reversed   ? -edge.block
           : order == EdgeOrder::crossing ? edge.block ^ 1  // of a dimension the rank behind first
                                          : edge.block;
  };
  for (Neighborhood& neighbors : topology.of) std::ranges::sort(neighbors.in, {}, place);
}

std::string describe(const Topology& topology) {
  const std::string stencil = topology.stencil ? fmt::format(", a stencil of {} offsets on a grid of {}",
                                                             topology.stencil->offsets.size(),
                                                             fmt::join(topology.stencil->dimensions, "x"))
                                               : "";
  return fmt::format("rank 0 sends to {} and gets from {}{}", fmt::join(peers(topology[0].out), " "),
                     fmt::join(peers(topology[0].in), " "), stencil);
}

Topology grid_topology(const std::vector<int>& dimensions, const std::vector<bool>& periodic,
                       EdgeOrder order) {
  const Stencil grid{dimensions, periodic, {}};
  Topology topology{.of = {}, .shape = "grid of " + lengths_text(dimensions, periodic)};
  int ranks = 1;
  for (const int length : dimensions) ranks *= length;
  for (Rank rank = 0; rank < ranks; ++rank) {
    Neighborhood& neighbors = topology.of.emplace_back();
    neighbors.out_blocks = neighbors.in_blocks = 2 * static_cast<int>(dimensions.size());
    for (int block = 0; block < neighbors.out_blocks; ++block)
      if (const auto peer = grid.moved(rank, static_cast<std::size_t>(block / 2), block % 2 == 0 ? -1 : 1))
        neighbors.out.push_back({*peer, block});
    neighbors.in = neighbors.out;
  }
  put_in_order(topology, order);
  return topology;
}

Topology graph_topology(const std::vector<std::pair<std::vector<Rank>, std::vector<Rank>>>& out_and_in,
                        EdgeOrder order) {
  Topology topology;
  const auto edges = [](const std::vector<Rank>& peers) {
    std::vector<Neighborhood::Edge> list;
    for (const Rank peer : peers) list.push_back({peer, static_cast<int>(list.size())});
    return list;
  };
  for (const auto& [out, in] : out_and_in)
    topology.of.push_back({edges(out), edges(in), static_cast<int>(out.size()), static_cast<int>(in.size())});
  put_in_order(topology, order);
  topology.stencil = find_stencil(topology);
  if (topology.stencil) topology.shape = shape_text(*topology.stencil);
  return topology;
}

std::optional<Topology> stencil_topology(int points, int ranks) {
  const bool in_space = points == 7 || points == 27, diagonal = points == 9 || points == 27;
  if (!in_space && !diagonal && points != 5) return std::nullopt;
  const auto dimensions = balanced_grid(ranks, in_space ? 3 : 2);
  const Stencil grid{dimensions, std::vector<bool>(dimensions.size(), true), {}};
  std::vector<std::pair<std::vector<Rank>, std::vector<Rank>>> out_and_in(static_cast<std::size_t>(ranks));
  for (int z = in_space ? -1 : 0; z <= (in_space ? 1 : 0); ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const int ways = std::abs(x) + std::abs(y) + std::abs(z);
        if (ways == 0 || (!diagonal && ways > 1)) continue;
        std::vector<int> there = in_space ? std::vector{z, y, x} : std::vector{y, x};
        std::vector<int> back = there;
        for (int& way : back) way = -way;
        for (Rank rank = 0; rank < ranks; ++rank) {
          auto& [out, in] = out_and_in[static_cast<std::size_t>(rank)];
          out.push_back(*grid.moved(rank, there));
          in.push_back(*grid.moved(rank, back));
        }
      }
  return graph_topology(out_and_in);
}

}  // namespace tutti::inline core
