// Messages beyond 2^31 bytes: a broadcast and an allgather of doubles.

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t beyond = (std::size_t{1} << 31) / sizeof(double) + 12345;

// Looks at every 4,099th element, and at the last one.
bool holds(const std::vector<double>& data, std::size_t begin, std::size_t end, double value) {
  for (std::size_t i = begin; i < end; i += 4099)
    if (data[i] != value + static_cast<double>(i - begin)) return false;
  return data[end - 1] == value + static_cast<double>(end - 1 - begin);
}

void fill(std::vector<double>& data, std::size_t begin, std::size_t end, double value) {
  for (std::size_t i = begin; i < end; ++i) data[i] = value + static_cast<double>(i - begin);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool right = true;
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<double> data((beyond + p - 1) / p * p, -1);

  if (rank == 0) fill(data, 0, beyond, 1);
  MPI_Bcast(data.data(), static_cast<int>(beyond), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  right = right && holds(data, 0, beyond, 1);

  const std::size_t block = data.size() / p, mine = static_cast<std::size_t>(rank) * block;
  fill(data, mine, mine + block, rank);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), static_cast<int>(block), MPI_DOUBLE,
                MPI_COMM_WORLD);
  for (std::size_t r = 0; r < p; ++r)
    right = right && holds(data, r * block, (r + 1) * block, static_cast<double>(r));

  if (!right) {
    std::fprintf(stderr, "large: rank %d has wrong data\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) std::printf("large: all right\n");
  MPI_Finalize();
  return 0;
}
