// Who gets what where neighbours are there several times: on grids of one and two ranks, and on a
// graph. Libraries differ, from each other and from function to function. Prints it, for comparison
// with what the library does by itself.

#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

constexpr int degree = 4;

class Edges {
 public:
  Edges() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    for (int i = 0; i < degree; ++i) given_[static_cast<std::size_t>(i)] = 10 * rank_ + i;
  }

  void on_grids() {
    const int round[] = {1, 1}, extents[] = {ranks_, 1};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, round, 0, &grid);
    all(grid, "grid");
    MPI_Comm_free(&grid);
  }

  void on_graph() {
    const int next = (rank_ + 1) % ranks_, before = (rank_ + ranks_ - 1) % ranks_;
    const int to[] = {rank_, next, next, before}, from[] = {before, rank_, next, before};
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, from, MPI_UNWEIGHTED, degree, to, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    all(graph, "graph");
    MPI_Comm_free(&graph);
  }

 private:
  void all(MPI_Comm comm, const char* where) {
    MPI_Barrier(comm);  // so that calls that return at once are served
    MPI_Neighbor_alltoall(given_.data(), 1, MPI_INT, got_.data(), 1, MPI_INT, comm);
    show(where, "neighbor_alltoall");
    MPI_Neighbor_alltoallv(given_.data(), ones_, places_, MPI_INT, got_.data(), ones_, places_, MPI_INT,
                           comm);
    show(where, "neighbor_alltoallv");
    MPI_Neighbor_alltoallw(given_.data(), ones_, bytes_, types_, got_.data(), ones_, bytes_, types_, comm);
    show(where, "neighbor_alltoallw");
    MPI_Ineighbor_alltoall(given_.data(), 1, MPI_INT, got_.data(), 1, MPI_INT, comm, &request_);
    wait_and_show(where, "ineighbor_alltoall");
    MPI_Ineighbor_alltoallv(given_.data(), ones_, places_, MPI_INT, got_.data(), ones_, places_, MPI_INT,
                            comm, &request_);
    wait_and_show(where, "ineighbor_alltoallv");
    MPI_Ineighbor_alltoallw(given_.data(), ones_, bytes_, types_, got_.data(), ones_, bytes_, types_, comm,
                            &request_);
    wait_and_show(where, "ineighbor_alltoallw");
#ifdef TUTTI_PERSISTENT_COLLECTIVES
    MPI_Neighbor_alltoall_init(given_.data(), 1, MPI_INT, got_.data(), 1, MPI_INT, comm, MPI_INFO_NULL,
                               &request_);
    MPI_Start(&request_);
    wait_and_show(where, "neighbor_alltoall_init");
    MPI_Request_free(&request_);
    MPI_Neighbor_alltoallw_init(given_.data(), ones_, bytes_, types_, got_.data(), ones_, bytes_, types_,
                                comm, MPI_INFO_NULL, &request_);
    MPI_Start(&request_);
    wait_and_show(where, "neighbor_alltoallw_init");
    MPI_Request_free(&request_);
#endif
  }

  void wait_and_show(const char* where, const char* operation) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    show(where, operation);
  }

  // Prints what all ranks got, on rank 0.
  void show(const char* where, const char* operation) {
    const std::string mine = std::to_string(got_[0]) + " " + std::to_string(got_[1]) + " " +
                             std::to_string(got_[2]) + " " + std::to_string(got_[3]);
    std::array<char, 64> line{};
    std::snprintf(line.data(), line.size(), "%s", mine.c_str());
    for (int from = 0; from < ranks_; ++from) {
      if (from > 0 && rank_ == from) MPI_Send(line.data(), 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
      if (from > 0 && rank_ == 0)
        MPI_Recv(line.data(), 64, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank_ == 0) std::printf("%s %s, rank %d: %s\n", where, operation, from, line.data());
    }
    got_.fill(-1);
  }

  int rank_ = 0, ranks_ = 0;
  std::array<int, degree> given_{}, got_{};
  int ones_[degree] = {1, 1, 1, 1}, places_[degree] = {0, 1, 2, 3};
  MPI_Aint bytes_[degree] = {0, 4, 8, 12};
  MPI_Datatype types_[degree] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Edges edges;
  edges.on_grids();
  edges.on_graph();
  std::fflush(stdout);
  MPI_Finalize();
  return 0;
}
