// Buffers in memory that the processor can't touch, on some ranks only and on others for other
// arguments: every call is made with host memory first, and again with a device's, and has to give
// the same, gaps and all.
//
// Usage: device LIBRARY [host]. LIBRARY is a stand-in (device_stand_in.cpp), or one for a real
// device (bench/device_memory.cpp), loaded after the first collective; with `host` before it, and
// then all buffers are host memory. What it has seen has to be what staging promises, or with
// STAND_IN=mapped, where plans hand addresses to the MPI library, less. Exit by MPI_Abort at the
// first difference.

#include "device_stand_in.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "require.hpp"

namespace {

int rank = 0, ranks = 0, calls = 0;
void* (*allocate)(std::size_t);
void (*release)(void*);
void (*copy)(void*, const void*, std::size_t);
StandInCounts (*seen_so_far)();
int (*device_of_thread)();  // null: not told

void load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  require(library, std::string("can't load ") + path);
  allocate = reinterpret_cast<decltype(allocate)>(dlsym(library, "stand_in_allocate"));
  release = reinterpret_cast<decltype(release)>(dlsym(library, "stand_in_free"));
  copy = reinterpret_cast<decltype(copy)>(dlsym(library, "stand_in_copy"));
  seen_so_far = reinterpret_cast<decltype(seen_so_far)>(dlsym(library, "stand_in_counts"));
  device_of_thread =
      reinterpret_cast<decltype(device_of_thread)>(dlsym(library, "stand_in_device_of_thread"));
}

using Bytes = std::vector<char>;
constexpr std::size_t margin = 64;  // types may begin below their address

Bytes random_bytes(std::size_t bytes, unsigned seed) {
  Bytes list(bytes + 2 * margin);
  std::mt19937 random(seed);
  for (char& byte : list) byte = static_cast<char>(random() % 50);
  return list;
}

// A buffer's contents, in host memory or on the device.
class Placed {
 public:
  Placed(const Bytes& contents, bool on_device) : bytes_(contents) {
    if (!on_device) return;
    device_ = static_cast<char*>(allocate(bytes_.size()));
    copy(device_, bytes_.data(), bytes_.size());
  }
  ~Placed() {
    if (device_) release(device_);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;
  void* address() { return (device_ ? device_ : bytes_.data()) + margin; }
  Bytes contents() {
    if (device_) copy(bytes_.data(), device_, bytes_.size());
    return bytes_;
  }

 private:
  Bytes bytes_;
  char* device_ = nullptr;
};

using Call = std::function<int(void* in, void* out)>;

void compare(const std::string& what, std::size_t in_bytes, std::size_t out_bytes, const Call& call,
             bool devices) {
  const auto seed = static_cast<unsigned>(1000 * ++calls + rank);
  const Bytes in = random_bytes(in_bytes, seed), out = random_bytes(out_bytes, seed + 500000);
  Placed host_in(in, false), host_out(out, false);
  require(call(host_in.address(), host_out.address()) == MPI_SUCCESS, what + " fails");
  if (!devices) return;
  Placed there_in(in, (rank + calls) % 2 == 0), there_out(out, (rank + calls) % 3 != 0);
  const int before = device_of_thread ? device_of_thread() : 0;
  require(call(there_in.address(), there_out.address()) == MPI_SUCCESS, what + " on a device fails");
  require(!device_of_thread || device_of_thread() == before, what + " leaves the thread on another device");
  require(there_out.contents() == host_out.contents(), what + " on a device gives something else");
  require(there_in.contents() == in, what + " on a device changes what it is given");
}

void all_calls(MPI_Datatype type, int count, bool devices) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(type, &lb, &extent);
  const std::size_t block = static_cast<std::size_t>(count) * static_cast<std::size_t>(extent) + 64;
  const std::size_t all = block * static_cast<std::size_t>(ranks);
  std::vector<int> counts(static_cast<std::size_t>(ranks), count), displs;
  for (int r = 0; r < ranks; ++r) displs.push_back((ranks - 1 - r) * count);
  for (int root = 0; root < ranks; ++root) {
    compare(
        "bcast", 0, block, [&](void*, void* out) { return MPI_Bcast(out, count, type, root, comm); },
        devices);
    compare(
        "gather", block, all,
        [&](void* in, void* out) { return MPI_Gather(in, count, type, out, count, type, root, comm); },
        devices);
    compare(
        "gatherv in place", block, all,
        [&](void* in, void* out) {
          return MPI_Gatherv(rank == root ? MPI_IN_PLACE : in, count, type, out, counts.data(), displs.data(),
                             type, root, comm);
        },
        devices);
    compare(
        "scatter", all, block,
        [&](void* in, void* out) { return MPI_Scatter(in, count, type, out, count, type, root, comm); },
        devices);
    compare(
        "scatterv in place", all, block,
        [&](void* in, void* out) {
          return MPI_Scatterv(in, counts.data(), displs.data(), type, rank == root ? MPI_IN_PLACE : out,
                              count, type, root, comm);
        },
        devices);
  }
  compare(
      "allgather", block, all,
      [&](void* in, void* out) { return MPI_Allgather(in, count, type, out, count, type, comm); }, devices);
  compare(
      "allgather in place", 0, all,
      [&](void*, void* out) {
        return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, type, comm);
      },
      devices);
  compare(
      "allgatherv", block, all,
      [&](void* in, void* out) {
        return MPI_Allgatherv(in, count, type, out, counts.data(), displs.data(), type, comm);
      },
      devices);
  compare(
      "alltoall", all, all,
      [&](void* in, void* out) { return MPI_Alltoall(in, count, type, out, count, type, comm); }, devices);
  compare(
      "alltoall in place", 0, all,
      [&](void*, void* out) {
        return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, type, comm);
      },
      devices);
  compare(
      "alltoallv", all, all,
      [&](void* in, void* out) {
        return MPI_Alltoallv(in, counts.data(), displs.data(), type, out, counts.data(), displs.data(), type,
                             comm);
      },
      devices);
}

void all_reductions(bool devices) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  constexpr int count = 60;
  const std::size_t vector = count * sizeof(int) * static_cast<std::size_t>(ranks);
  const std::vector<int> counts(static_cast<std::size_t>(ranks), count);
  for (int root = 0; root < ranks; ++root)
    for (const bool in_place : {false, true})
      compare(
          "reduce", vector, vector,
          [&](void* in, void* out) {
            return MPI_Reduce(in_place && rank == root ? MPI_IN_PLACE : in, rank == root ? out : nullptr,
                              count, MPI_INT, MPI_SUM, root, comm);
          },
          devices);
  for (const bool in_place : {false, true}) {
    const auto given = [in_place](void* in) { return in_place ? MPI_IN_PLACE : in; };
    compare(
        "allreduce", vector, vector,
        [&](void* in, void* out) { return MPI_Allreduce(given(in), out, count, MPI_INT, MPI_SUM, comm); },
        devices);
    compare(
        "reduce_scatter_block", vector, vector,
        [&](void* in, void* out) {
          return MPI_Reduce_scatter_block(given(in), out, count, MPI_INT, MPI_MAX, comm);
        },
        devices);
    compare(
        "reduce_scatter", vector, vector,
        [&](void* in, void* out) {
          return MPI_Reduce_scatter(given(in), out, counts.data(), MPI_INT, MPI_SUM, comm);
        },
        devices);
    compare(
        "scan", vector, vector,
        [&](void* in, void* out) { return MPI_Scan(given(in), out, count, MPI_INT, MPI_SUM, comm); },
        devices);
    compare(
        "exscan", vector, vector,
        [&](void* in, void* out) { return MPI_Exscan(given(in), out, count, MPI_INT, MPI_SUM, comm); },
        devices);
  }
}

// Data that travel in several pieces.
void long_calls() {
  constexpr int count = 450000;
  constexpr std::size_t block = count * sizeof(int);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const std::size_t all = block * static_cast<std::size_t>(ranks);
  compare(
      "long bcast", 0, block, [&](void*, void* out) { return MPI_Bcast(out, count, MPI_INT, 1, comm); },
      true);
  compare(
      "long allreduce", block, block,
      [&](void* in, void* out) { return MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm); }, true);
  compare(
      "long allreduce in place", 0, block,
      [&](void*, void* out) { return MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_INT, MPI_MAX, comm); },
      true);
  compare(
      "long allgather", block, all,
      [&](void* in, void* out) { return MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm); },
      true);
  compare(
      "long alltoall in place", 0, all,
      [&](void*, void* out) {
        return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, count, MPI_INT, comm);
      },
      true);
  compare(
      "long reduce_scatter_block in place", 0, all,
      [&](void*, void* out) {
        return MPI_Reduce_scatter_block(MPI_IN_PLACE, out, count, MPI_INT, MPI_SUM, comm);
      },
      true);
}

// Several calls under way, which go on while the program waits for one of them.
void nonblocking_calls() {
  constexpr int count = 300000;
  constexpr std::size_t block = count * sizeof(int);
  const std::size_t all = block * static_cast<std::size_t>(ranks);
  const MPI_Comm comm = MPI_COMM_WORLD;
  compare(
      "nonblocking calls", block, block + all,
      [&](void* in, void* out) {
        MPI_Request requests[2];
        char* const behind = static_cast<char*>(out) + block;
        MPI_Iallreduce(in, out, count, MPI_INT, MPI_SUM, comm, &requests[0]);
        MPI_Iallgather(in, count, MPI_INT, behind, count, MPI_INT, comm, &requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Ibcast(behind, count, MPI_INT, 0, comm, &requests[1]);
        return MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      },
      true);
}

// However many rows a type has, they are copied at once.
void rows_at_once(bool is_plain) {
  constexpr int rows = 200;
  MPI_Datatype type;
  MPI_Type_vector(rows, 3, 8, MPI_INT, &type);
  MPI_Type_commit(&type);
  const Bytes contents = random_bytes(rows * 8 * sizeof(int), 7);
  Placed there(contents, true);
  const StandInCounts before = seen_so_far();
  require(MPI_Bcast(there.address(), 1, type, 0, MPI_COMM_WORLD) == MPI_SUCCESS, "bcast of rows fails");
  const StandInCounts after = seen_so_far();
  require(after.copies - before.copies == (is_plain ? rows : 1), "rows are copied one by one");
  require(after.strided - before.strided == (is_plain ? 0 : 1), "rows are copied as bytes");
  require(there.contents() == contents, "bcast of rows gives something else");
  MPI_Type_free(&type);
}

// Types of all kinds, whose data may lie in any order.
void all_kinds_of_types() {
  const int lengths[] = {2, 1, 3}, displacements[] = {5, 0, 9}, sizes[] = {4, 5}, parts[] = {2, 3},
            starts[] = {1, 1};
  const MPI_Aint bytes[] = {40, 4, 60};
  const MPI_Datatype of_struct[] = {MPI_SHORT, MPI_DOUBLE_INT, MPI_INT};
  const MPI_Aint at[] = {30, 8, 40};
  const int distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, grid[] = {2, 1},
            arguments[] = {1, MPI_DISTRIBUTE_DFLT_DARG};
  std::vector<MPI_Datatype> types(11);
  MPI_Type_indexed(3, lengths, displacements, MPI_INT, &types[0]);
  MPI_Type_create_hindexed(3, lengths, bytes, MPI_SHORT, &types[1]);
  MPI_Type_create_indexed_block(3, 2, displacements, MPI_SHORT, &types[2]);
  MPI_Type_create_struct(3, lengths, at, of_struct, &types[3]);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &types[4]);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, types[2], &types[5]);
  MPI_Type_create_darray(2, 1, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &types[6]);
  MPI_Type_create_hvector(2, 3, 200, types[3], &types[7]);
  MPI_Type_contiguous(3, types[1], &types[8]);
  MPI_Type_create_hindexed_block(3, 1, bytes, MPI_INT, &types[9]);
  MPI_Type_create_hvector(2, 1, 100, types[6], &types[10]);
  for (MPI_Datatype& type : types) {
    MPI_Type_commit(&type);
    all_calls(type, 2, true);
    all_calls(type, 7, true);
    MPI_Type_free(&type);
  }
}

// A thread that has used no device has none afterwards either.
void call_in_a_thread() {
  const Bytes contents = random_bytes(1000, 9);
  Placed there(contents, true);
  int error = MPI_SUCCESS;
  bool is_left_alone = false;
  std::thread([&] {
    const int before = device_of_thread();
    error = MPI_Bcast(there.address(), 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
    is_left_alone = device_of_thread() == before;
  }).join();
  require(error == MPI_SUCCESS, "bcast in a thread fails");
  require(is_left_alone, "a thread keeps a device that it did not ask for");
  require(there.contents() == contents, "bcast in a thread gives something else");
}

void all_on_devices() {
  const char* set = std::getenv("STAND_IN");
  const std::string_view mode = set ? set : "";
  long_calls();
  nonblocking_calls();
  all_kinds_of_types();
  if (!seen_so_far) return;  // a real device
  rows_at_once(mode == "plain");
  call_in_a_thread();
  const StandInCounts seen = seen_so_far();
  require(seen.astray == 0, "copies are begun on another device than the memory's");
  require(seen.late == 0, "copies are not waited for");
  require(mode != "" || seen.unpinned_copies == 0, "copies from and to memory that is not pinned");
  require(mode == "plain" || seen.most_pinned > 0, "nothing is pinned");
  require(seen.most_pinned < 40, "memory is not used again");
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &threads);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) return 2;
  const bool devices = argc == 2;
  if (!devices && rank == 1) load(argv[1]);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (devices) load(argv[1]);
  MPI_Datatype column, shifted;
  MPI_Type_vector(5, 2, 7, MPI_SHORT, &column);
  MPI_Type_create_resized(column, -6, 72, &shifted);
  MPI_Type_commit(&column);
  MPI_Type_commit(&shifted);
  for (const MPI_Datatype type : {MPI_INT, column, shifted}) all_calls(type, 9, devices);
  all_reductions(devices);
  if (devices) all_on_devices();
  if (rank == 0) std::printf("device: all right\n");
  MPI_Type_free(&column);
  MPI_Type_free(&shifted);
  MPI_Finalize();
  return devices && seen_so_far && seen_so_far().pinned != 0;
}
