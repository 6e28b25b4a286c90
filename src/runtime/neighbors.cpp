#include "runtime/neighbors.hpp"

#include <array>
#include <numeric>

#include "mpi/handles.hpp"

namespace tutti::runtime {
namespace {

// Edges in all, both ways: of more, every rank would need too much memory to know them.
constexpr std::size_t most_edges = std::size_t{1} << 23;

// Where libraries differ, the one that is there is asked, of this process by itself. Simulated, there is none.
#ifdef TUTTI_SIMULATED
std::optional<EdgeOrder> order_in_grids() {
  return EdgeOrder::crossing;
}
std::optional<EdgeOrder> order_in_graphs() {
  return EdgeOrder::as_listed;
}
#else
constexpr int asked = 4;

// The blocks that this process gets where its neighbours are itself four times.
std::array<int, asked> exchanged(MPI_Comm made) {
  const OwnComm comm(made);
  const std::array<int, asked> given{0, 1, 2, 3};
  std::array<int, asked> got{};
  if (comm) native().neighbor_alltoall(given.data(), 1, MPI_INT, got.data(), 1, MPI_INT, comm.get());
  return got;
}

std::optional<EdgeOrder> order_of(const std::array<int, asked>& got) {
  if (got == std::array{0, 1, 2, 3}) return EdgeOrder::as_listed;
  if (got == std::array{3, 2, 1, 0}) return EdgeOrder::reversed;
  if (got == std::array{1, 0, 3, 2}) return EdgeOrder::crossing;
  return std::nullopt;
}

std::optional<EdgeOrder> order_in_grids() {
  static const auto known = [] {
    const int ones[] = {1, 1};
    MPI_Comm grid = MPI_COMM_NULL;
    PMPI_Cart_create(MPI_COMM_SELF, 2, ones, ones, 0, &grid);
    return order_of(exchanged(grid));
  }();
  return known;
}

std::optional<EdgeOrder> order_in_graphs() {
  static const auto known = [] {
    const std::array<int, asked> itself{};
    MPI_Comm graph = MPI_COMM_NULL;
    PMPI_Dist_graph_create_adjacent(MPI_COMM_SELF, asked, itself.data(), MPI_UNWEIGHTED, asked, itself.data(),
                                    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    return order_of(exchanged(graph));
  }();
  return known;
}
#endif

std::optional<Topology> in_grid(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  const auto count = static_cast<std::size_t>(dimensions);
  std::vector<int> lengths(count), periods(count), coordinates(count);
  PMPI_Cart_get(comm, dimensions, lengths.data(), periods.data(), coordinates.data());
  const std::vector<bool> periodic(periods.begin(), periods.end());
  Topology topology = grid_topology(lengths, periodic);
  if (!topology.has_repeated_edges()) return topology;
  const auto order = order_in_grids();
  return order ? std::optional(grid_topology(lengths, periodic, *order)) : std::nullopt;
}

using OutAndIn = std::vector<std::pair<std::vector<Rank>, std::vector<Rank>>>;

// Edges go both ways, and each rank can ask for all.
OutAndIn edges_of_graph(MPI_Comm comm) {
  int nodes = 0, edges = 0;
  PMPI_Graphdims_get(comm, &nodes, &edges);
  std::vector<int> ends(static_cast<std::size_t>(nodes)), peers(static_cast<std::size_t>(edges));
  PMPI_Graph_get(comm, nodes, edges, ends.data(), peers.data());
  OutAndIn all;
  auto begin = peers.begin();
  for (const int end : ends) {
    const std::vector<Rank> list(begin, peers.begin() + end);
    all.emplace_back(list, list);
    begin = peers.begin() + end;
  }
  return all;
}

// Of a distributed graph each rank knows its own neighbours: they tell each other.
OutAndIn edges_of_distributed_graph(MPI_Comm comm, int ranks) {
  int in = 0, out = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  std::vector<int> mine(static_cast<std::size_t>(in + out)), weights(mine);
  PMPI_Dist_graph_neighbors(comm, in, mine.data(), weights.data(), out, mine.data() + in,
                            weights.data() + in);
  const auto p = static_cast<std::size_t>(ranks);
  const int degrees[] = {in, out};
  std::vector<int> all_degrees(2 * p), counts(p), begins(p);
  native().allgather(degrees, 2, MPI_INT, all_degrees.data(), 2, MPI_INT, comm);
  std::size_t edges = 0;
  for (std::size_t rank = 0; rank < p; ++rank) {
    counts[rank] = all_degrees[2 * rank] + all_degrees[2 * rank + 1];
    begins[rank] = static_cast<int>(edges);
    edges += static_cast<std::size_t>(counts[rank]);
    if (edges > most_edges) return {};
  }
  std::vector<int> peers(edges);
  native().allgatherv(mine.data(), in + out, MPI_INT, peers.data(), counts.data(), begins.data(), MPI_INT,
                      comm);
  OutAndIn all;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const auto begin = peers.begin() + begins[rank], middle = begin + all_degrees[2 * rank];
    all.emplace_back(std::vector<Rank>(middle, begin + counts[rank]), std::vector<Rank>(begin, middle));
  }
  return all;
}

std::optional<Topology> in_graph(const OutAndIn& edges) {
  if (edges.empty()) return std::nullopt;
  Topology topology = graph_topology(edges);
  if (!topology.has_repeated_edges()) return topology;
  const auto order = order_in_graphs();
  return order ? std::optional(graph_topology(edges, *order)) : std::nullopt;
}

}  // namespace

std::optional<Topology> neighbors_in(MPI_Comm comm, int ranks) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) return in_grid(comm);
  if (kind == MPI_GRAPH) return in_graph(edges_of_graph(comm));
  if (kind == MPI_DIST_GRAPH) return in_graph(edges_of_distributed_graph(comm, ranks));
  return std::nullopt;
}

}  // namespace tutti::runtime
