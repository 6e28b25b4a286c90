// Times collectives on a device's memory, beside the same with one copy each way by hand: into host
// memory that the device reaches by itself, the call there, and back. Of each the median of the
// slowest rank, in microseconds. Without arguments it says whether there is a device: "no device",
// "a device", or "a device whose addresses MPI takes".
//
//     device REPETITIONS BYTES…

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "device_memory.hpp"

namespace {

constexpr int row_bytes = 512, pitch = 1024;  // of strided data

int ranks = 0;

// The slowest rank's time of a call, the median of several.
double median_us(int repetitions, const std::function<void()>& call) {
  std::vector<double> times;
  for (int repetition = -2; repetition < repetitions; ++repetition) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call();
    const double took = MPI_Wtime() - begin;
    double slowest = 0;
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (repetition >= 0) times.push_back(slowest * 1e6);
  }
  std::ranges::nth_element(times, times.begin() + repetitions / 2);
  return times[static_cast<std::size_t>(repetitions / 2)];
}

// A collective on an input and an output, of one block or one for each rank; a broadcast has its
// vector as output.
struct Operation {
  std::string name;
  bool input_of_all, output_of_all, is_bcast;
  std::function<void(void* in, void* out, int count, MPI_Datatype type)> call;
};

const Operation operations[] = {
    {"bcast", false, false, true,
     [](void*, void* out, int count, MPI_Datatype type) { MPI_Bcast(out, count, type, 0, MPI_COMM_WORLD); }},
    {"allgather", false, true, false,
     [](void* in, void* out, int count, MPI_Datatype type) {
       MPI_Allgather(in, count, type, out, count, type, MPI_COMM_WORLD);
     }},
    {"alltoall", true, true, false,
     [](void* in, void* out, int count, MPI_Datatype type) {
       MPI_Alltoall(in, count, type, out, count, type, MPI_COMM_WORLD);
     }},
    {"allreduce", false, false, false, [](void* in, void* out, int count, MPI_Datatype type) {
       (void)type;  // always contiguous
       MPI_Allreduce(in, out, count / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
     }}};

// Whether it is an Open MPI that says so. Of other libraries the answer is no.
bool mpi_takes_addresses() {
  auto* const query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  return query && query() == 1;
}

void measure(const DeviceMemory& device, const Operation& operation, std::size_t bytes, bool is_strided,
             int repetitions) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::size_t rows = bytes / row_bytes, stretch = is_strided ? 2 : 1;
  const std::size_t in_blocks = operation.input_of_all ? static_cast<std::size_t>(ranks) : 1;
  const std::size_t out_blocks = operation.output_of_all ? static_cast<std::size_t>(ranks) : 1;
  char* const in = static_cast<char*>(device.allocate(in_blocks * bytes * stretch));
  char* const out = static_cast<char*>(device.allocate(out_blocks * bytes * stretch));
  char* const host_in = static_cast<char*>(device.allocate_pinned(in_blocks * bytes));
  char* const host_out = static_cast<char*>(device.allocate_pinned(out_blocks * bytes));
  MPI_Datatype type = MPI_BYTE;
  if (is_strided) {
    MPI_Datatype row;
    MPI_Type_vector(static_cast<int>(rows), row_bytes, pitch, MPI_BYTE, &row);
    MPI_Type_create_resized(row, 0, static_cast<MPI_Aint>(rows * pitch), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&row);
  }
  const auto by_hand = [&](char* there, char* here, std::size_t blocks, bool to_host) {
    if (is_strided)
      device.copy_rows(there, pitch, here, row_bytes, rows * blocks, to_host);
    else
      to_host ? device.copy(here, there, bytes * blocks) : device.copy(there, here, bytes * blocks);
  };
  const int count = is_strided ? 1 : static_cast<int>(bytes);
  const double on_device = median_us(repetitions, [&] { operation.call(in, out, count, type); });
  const double hand = median_us(repetitions, [&] {
    if (operation.is_bcast && rank == 0) by_hand(out, host_out, out_blocks, true);
    if (!operation.is_bcast) by_hand(in, host_in, in_blocks, true);
    operation.call(host_in, host_out, static_cast<int>(bytes), MPI_BYTE);
    if (!operation.is_bcast || rank != 0) by_hand(out, host_out, out_blocks, false);
  });
  if (rank == 0)
    std::printf("%s %s %zu %.1f %.1f\n", operation.name.c_str(), is_strided ? "strided" : "contiguous", bytes,
                on_device, hand);
  std::fflush(stdout);
  if (is_strided) MPI_Type_free(&type);
  device.release(in);
  device.release(out);
  device.release_pinned(host_in);
  device.release_pinned(host_out);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const DeviceMemory* const device = DeviceMemory::find();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc == 1 && rank == 0)
    std::puts(!device                 ? "no device"
              : mpi_takes_addresses() ? "a device whose addresses MPI takes"
                                      : "a device");
  for (int argument = 2; device && argument < argc; ++argument)
    for (const Operation& operation : operations)
      for (const bool is_strided : {false, true})
        if (const std::size_t bytes = std::strtoull(argv[argument], nullptr, 10);
            !is_strided || (operation.name != "allreduce" && bytes % row_bytes == 0))
          measure(*device, operation, bytes, is_strided, std::atoi(argv[1]));
  MPI_Finalize();
  return 0;
}
