#include "run/calls/neighbors.hpp"

#include <array>
#include <mutex>

#include "run/calls/constants.hpp"
#include "run/mpi/handles.hpp"
#include "run/mpi/self_comm.hpp"

namespace tutti::run {
namespace {

constexpr int asked = 4;

// The blocks that this process gets of itself, which is its neighbour four times.
std::array<int, asked> exchanged(Called called, MPI_Comm made) {
  const OwnComm comm(made);
  std::array<int, asked> given{0, 1, 2, 3}, got{}, counts{1, 1, 1, 1}, displacements{0, 1, 2, 3};
  std::array<MPI_Aint, asked> addresses{0, 4, 8, 12};
  std::array<MPI_Datatype, asked> types{MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  const bool typed = has_type_a_block(called.collective);
  const Numbers places = typed ? Numbers(addresses.data(), true) : Numbers(displacements.data());
  const Call call{.sendbuf = given.data(),
                  .sendcount = 1,
                  .sendcounts = Numbers(counts.data()),
                  .senddispls = places,
                  .sendtype = MPI_INT,
                  .sendtypes = types.data(),
                  .recvbuf = got.data(),
                  .recvcount = 1,
                  .recvcounts = Numbers(counts.data()),
                  .recvdispls = places,
                  .recvtype = MPI_INT,
                  .recvtypes = types.data()};
  if (!comm) return got;
  if (called.mode == Mode::blocking) {
    run_natively(called.collective, comm.get(), call);
    return got;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (called.mode == Mode::persistent) {
    init_natively(called.collective, comm.get(), call, MPI_INFO_NULL, &request);
    PMPI_Start(&request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Request_free(&request);
    return got;
  }
  start_natively(called.collective, comm.get(), call, &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  return got;
}

MPI_Comm grid_of_itself() {
  const int ones[] = {1, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  PMPI_Cart_create(self_comm::get(), 2, ones, ones, 0, &grid);
  return grid;
}

MPI_Comm graph_of_itself() {
  const std::array<int, asked> itself{}, weights{};  // MPI_UNWEIGHTED may be a variable of the library
  MPI_Comm graph = MPI_COMM_NULL;
  PMPI_Dist_graph_create_adjacent(self_comm::get(), asked, itself.data(), weights.data(), asked,
                                  itself.data(), weights.data(), MPI_INFO_NULL, 0, &graph);
  return graph;
}

// Where libraries differ, the one that is there is asked, of this process by itself.
std::optional<EdgeOrder> order_of(Called called, bool in_grids) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<Called, bool>, std::optional<EdgeOrder>>;
  const std::lock_guard lock(mutex);
  const auto [entry, added] = known.try_emplace({called, in_grids});
  if (!added) return entry->second;
  const auto got = exchanged(called, in_grids ? grid_of_itself() : graph_of_itself());
  if (got == std::array{0, 1, 2, 3}) entry->second = EdgeOrder::as_listed;
  if (got == std::array{3, 2, 1, 0}) entry->second = EdgeOrder::reversed;
  if (got == std::array{1, 0, 3, 2}) entry->second = EdgeOrder::crossing;
  return entry->second;
}

Topology in_grid(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  const auto count = static_cast<std::size_t>(dimensions);
  std::vector<int> lengths(count), periods(count), coordinates(count);
  PMPI_Cart_get(comm, dimensions, lengths.data(), periods.data(), coordinates.data());
  return grid_topology(lengths, {periods.begin(), periods.end()}, EdgeOrder::as_listed);
}

using OutAndIn = std::vector<std::pair<std::vector<Rank>, std::vector<Rank>>>;

// Edges go both ways, and each rank can ask for all.
OutAndIn edges_of_graph(MPI_Comm comm) {
  int nodes = 0, edges = 0;
  PMPI_Graphdims_get(comm, &nodes, &edges);
  if (static_cast<std::size_t>(edges) > calls::most_edges) return {};
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

// Each rank of a distributed graph knows its own neighbours: ranks tell each other.
OutAndIn edges_of_distributed_graph(MPI_Comm comm, int ranks) {
  int in = 0, out = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  std::vector<int> mine(static_cast<std::size_t>(in + out)), weights(mine);
  PMPI_Dist_graph_neighbors(comm, in, mine.data(), weights.data(), out, mine.data() + in,
                            weights.data() + in);
  const auto p = static_cast<std::size_t>(ranks);
  const int degrees[] = {in, out};
  std::vector<int> all_degrees(2 * p), counts(p), begins(p);
  native().MPI_Allgather(degrees, 2, MPI_INT, all_degrees.data(), 2, MPI_INT, comm);
  std::size_t edges = 0;
  for (std::size_t rank = 0; rank < p; ++rank) {
    counts[rank] = all_degrees[2 * rank] + all_degrees[2 * rank + 1];
    begins[rank] = static_cast<int>(edges);
    edges += static_cast<std::size_t>(counts[rank]);
    if (edges > calls::most_edges) return {};
  }
  std::vector<int> peers(edges);
  native().MPI_Allgatherv(mine.data(), in + out, MPI_INT, peers.data(), counts.data(), begins.data(), MPI_INT,
                          comm);
  OutAndIn all;
  for (std::size_t rank = 0; rank < p; ++rank) {
    const auto begin = peers.begin() + begins[rank], middle = begin + all_degrees[2 * rank];
    all.emplace_back(std::vector<Rank>(middle, begin + counts[rank]), std::vector<Rank>(begin, middle));
  }
  return all;
}

}  // namespace

bool Neighbors::are_known_to_all(MPI_Comm comm) {
  int kind = MPI_UNDEFINED;
  return PMPI_Topo_test(comm, &kind) == MPI_SUCCESS && kind != MPI_DIST_GRAPH;
}

std::optional<Neighbors> Neighbors::in(MPI_Comm comm, int ranks) {
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) return Neighbors(in_grid(comm), Kind::grid);
  const auto edges = kind == MPI_GRAPH        ? edges_of_graph(comm)
                     : kind == MPI_DIST_GRAPH ? edges_of_distributed_graph(comm, ranks)
                                              : OutAndIn{};
  if (edges.empty()) return std::nullopt;
  return Neighbors(graph_topology(edges), Kind::graph);
}

Neighbors::Neighbors(Topology topology, Kind kind) : topology_(std::move(topology)), kind_(kind) {
  if (!topology_.has_repeated_edges()) return;
  for (const EdgeOrder order : {EdgeOrder::reversed, EdgeOrder::crossing})
    put_in_order(in_other_orders_.try_emplace(order, topology_).first->second, order);
}

const Topology* Neighbors::as_matched_by(Called called) const {
  // All edges of an allgather have the same block.
  if (in_other_orders_.empty() || traits(called.collective).regular == Collective::neighbor_allgather)
    return &topology_;
  const auto order = order_of(called, kind_ == Kind::grid);
  if (!order) return nullptr;
  return *order == EdgeOrder::as_listed ? &topology_ : &in_other_orders_.at(*order);
}

}  // namespace tutti::run
