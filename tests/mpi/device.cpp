// Buffers in memory that the processor can't touch, on some ranks only and on others for other arguments:
// every call is made with host memory first, and again with a device's, and has to give the same, gaps and
// all.
//
// Usage: device LIBRARY [host]. LIBRARY is a stand-in (device_stand_in.cpp), loaded after the first
// collective; with `host` before it, and then all buffers are host memory. Exit by MPI_Abort at the first
// difference.

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

int rank = 0, ranks = 0, calls = 0;
void* (*allocate)(std::size_t);
void (*release)(void*);
void (*copy)(void*, const void*, std::size_t);

void expect(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "device: rank %d: %s\n", rank, what.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  expect(library, std::string("can't load ") + path);
  allocate = reinterpret_cast<decltype(allocate)>(dlsym(library, "stand_in_allocate"));
  release = reinterpret_cast<decltype(release)>(dlsym(library, "stand_in_free"));
  copy = reinterpret_cast<decltype(copy)>(dlsym(library, "stand_in_copy"));
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
  expect(call(host_in.address(), host_out.address()) == MPI_SUCCESS, what + " fails");
  if (!devices) return;
  Placed there_in(in, (rank + calls) % 2 == 0), there_out(out, (rank + calls) % 3 != 0);
  expect(call(there_in.address(), there_out.address()) == MPI_SUCCESS, what + " on a device fails");
  expect(there_out.contents() == host_out.contents(), what + " on a device gives something else");
  expect(there_in.contents() == in, what + " on a device changes what it is given");
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

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
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
  if (rank == 0) std::printf("device: all right\n");
  MPI_Type_free(&column);
  MPI_Type_free(&shifted);
  MPI_Finalize();
  return 0;
}
