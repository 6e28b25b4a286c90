// Arrays of counts, displacements and types that a program uses for other things as soon as the
// call that takes them has returned. The standard forbids that for nonblocking calls, but the MPI
// libraries read the arrays at once, and programs live by it (mpi4py's Ireduce_scatter,
// Allgatherv_init, Reduce_scatter_init).

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr int each = 3;  // elements of a block
int rank = 0, ranks = 0, wrong = 0;

// The arrays of one call, with room for `blocks` blocks.
struct Arrays {
  std::vector<int> counts, displacements, bytes;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
  explicit Arrays(int blocks) {
    for (int block = 0; block < blocks; ++block) {
      counts.push_back(each);
      displacements.push_back(each * block);
      bytes.push_back(each * block * static_cast<int>(sizeof(int)));
      addresses.push_back(bytes.back());
      types.push_back(MPI_INT);
    }
  }
  // What is to be found in them from now on is nobody's count, address or type.
  void spoil() {
    const auto fill = [](auto& array) { std::memset(array.data(), 0x55, array.size() * sizeof array[0]); };
    fill(counts), fill(displacements), fill(bytes), fill(addresses), fill(types);
  }
};

struct Case {
  std::string name;
  bool on_neighbors = false, in_place = false;
};

// Makes the call's request from the send buffer, the receive buffer and the arrays.
using Make = std::function<void(const void* in, int* out, const Arrays& a, MPI_Request* request)>;

// What a rank has to get in element i of its receive buffer.
int wanted(const Case& c, int i) {
  const int block = i / each;
  if (c.on_neighbors) return (rank + (block ? 1 : ranks - 1)) % ranks;
  if (c.name == "gatherv") return rank == 0 ? block : -1;
  if (c.name == "scatterv") return block == 0 ? 0 : -1;
  if (c.name == "reduce_scatter") return block == 0 ? ranks * (ranks - 1) / 2 : c.in_place ? rank : -1;
  return block;
}

void run(const Case& c, bool is_persistent, const Make& make) {
  const int blocks = c.on_neighbors ? 2 : ranks, length = each * blocks;
  std::vector<int> out(static_cast<std::size_t>(length), -1), own(static_cast<std::size_t>(length), rank);
  if (c.in_place) {
    for (int i = 0; i < length; ++i)
      if (c.name != "allgatherv" || i / each == rank) out[static_cast<std::size_t>(i)] = rank;
  }
  Arrays arrays(blocks);
  MPI_Request request = MPI_REQUEST_NULL;
  make(c.in_place ? MPI_IN_PLACE : own.data(), out.data(), arrays, &request);
  arrays.spoil();
  if (is_persistent) MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (is_persistent) MPI_Request_free(&request);
  for (int i = 0; i < length; ++i) {
    if (out[static_cast<std::size_t>(i)] == wanted(c, i)) continue;
    std::printf("%s%s%s: element %d of rank %d is %d\n", c.name.c_str(),
                is_persistent ? " made to be started" : "", c.in_place ? " in place" : "", i, rank,
                out[static_cast<std::size_t>(i)]);
    ++wrong;
    return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm ring;
  const int extents[] = {ranks}, periodic[] = {1};
  MPI_Cart_create(world, 1, extents, periodic, 0, &ring);
  // Plans serve calls that return at once after one that blocks.
  MPI_Barrier(world);
  MPI_Barrier(ring);

  // A call in both of its forms: its name, its arguments before the communicator, the communicator.
#define TUTTI_FORM(function, comm, ...)                                                   \
  [&]([[maybe_unused]] const void* in, int* out, const Arrays& a, MPI_Request* request) { \
    function(__VA_ARGS__);                                                                \
  }
#ifdef TUTTI_PERSISTENT_COLLECTIVES
#define TUTTI_BOTH(c, started, made, comm, ...)                         \
  run(c, false, TUTTI_FORM(started, comm, __VA_ARGS__, comm, request)); \
  run(c, true, TUTTI_FORM(made, comm, __VA_ARGS__, comm, MPI_INFO_NULL, request))
#else
#define TUTTI_BOTH(c, started, made, comm, ...) \
  run(c, false, TUTTI_FORM(started, comm, __VA_ARGS__, comm, request))
#endif
  for (int turn = 0; turn < 10; ++turn) {
    const Case gatherv{"gatherv"}, scatterv{"scatterv"};
    TUTTI_BOTH(gatherv, MPI_Igatherv, MPI_Gatherv_init, world, in, each, MPI_INT, out, a.counts.data(),
               a.displacements.data(), MPI_INT, 0);
    TUTTI_BOTH(scatterv, MPI_Iscatterv, MPI_Scatterv_init, world, in, a.counts.data(), a.displacements.data(),
               MPI_INT, out, each, MPI_INT, 0);
    for (const bool in_place : {false, true}) {
      const Case allgatherv{"allgatherv", false, in_place}, alltoallv{"alltoallv", false, in_place},
          alltoallw{"alltoallw", false, in_place}, reduce_scatter{"reduce_scatter", false, in_place};
      TUTTI_BOTH(allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, world, in, each, MPI_INT, out,
                 a.counts.data(), a.displacements.data(), MPI_INT);
      TUTTI_BOTH(alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, world, in, a.counts.data(),
                 a.displacements.data(), MPI_INT, out, a.counts.data(), a.displacements.data(), MPI_INT);
      TUTTI_BOTH(alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, world, in, a.counts.data(), a.bytes.data(),
                 a.types.data(), out, a.counts.data(), a.bytes.data(), a.types.data());
      TUTTI_BOTH(reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, world, in, out,
                 a.counts.data(), MPI_INT, MPI_SUM);
    }
    const Case neighbor_allgatherv{"neighbor_allgatherv", true},
        neighbor_alltoallv{"neighbor_alltoallv", true}, neighbor_alltoallw{"neighbor_alltoallw", true};
    TUTTI_BOTH(neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, ring, in, each,
               MPI_INT, out, a.counts.data(), a.displacements.data(), MPI_INT);
    TUTTI_BOTH(neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, ring, in,
               a.counts.data(), a.displacements.data(), MPI_INT, out, a.counts.data(), a.displacements.data(),
               MPI_INT);
    TUTTI_BOTH(neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, ring, in,
               a.counts.data(), a.addresses.data(), a.types.data(), out, a.counts.data(), a.addresses.data(),
               a.types.data());
  }
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, world);
  if (rank == 0) std::printf("arrays reused: %s\n", all == 0 ? "all right" : "WRONG");
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return all;
}
