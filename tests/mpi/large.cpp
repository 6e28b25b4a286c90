// Messages beyond 2^31 bytes: a broadcast and an allgather of doubles, and a broadcast of a single
// element with gaps.

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

bool is_right_of_doubles(int rank, int ranks) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<double> data((beyond + p - 1) / p * p, -1);
  if (rank == 0) fill(data, 0, beyond, 1);
  MPI_Bcast(data.data(), static_cast<int>(beyond), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  bool right = holds(data, 0, beyond, 1);

  const std::size_t block = data.size() / p, mine = static_cast<std::size_t>(rank) * block;
  fill(data, mine, mine + block, rank);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), static_cast<int>(block), MPI_DOUBLE,
                MPI_COMM_WORLD);
  for (std::size_t r = 0; r < p; ++r)
    right = right && holds(data, r * block, (r + 1) * block, static_cast<double>(r));
  return right;
}

// The root gives the same stretch of bytes again and again; the others get them in two halves with
// a gap between.
bool is_right_of_one_element(int rank) {
  constexpr int stretch = 1 << 20, times = 2050, gap = 4096;
  constexpr std::size_t half = std::size_t{stretch} * times / 2;
  const auto byte_at = [](std::size_t i) { return static_cast<unsigned char>(i % stretch % 251); };
  MPI_Datatype type;
  if (rank == 0)
    MPI_Type_create_hvector(times, stretch, 0, MPI_BYTE, &type);
  else
    MPI_Type_create_hvector(2, static_cast<int>(half), half + gap, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  std::vector<unsigned char> data(rank == 0 ? std::size_t{stretch} : 2 * half + gap, 255);
  for (std::size_t i = 0; rank == 0 && i < data.size(); ++i) data[i] = byte_at(i);
  MPI_Bcast(data.data(), 1, type, 0, MPI_COMM_WORLD);
  MPI_Type_free(&type);
  bool right = true;
  for (std::size_t i = 0; rank != 0 && i < 2 * half; i += 4099)
    right = right && data[i < half ? i : i + gap] == byte_at(i);
  for (std::size_t i = half; rank != 0 && i < half + gap; ++i) right = right && data[i] == 255;
  return right && data.back() == byte_at(rank == 0 ? data.size() - 1 : 2 * half - 1);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!is_right_of_doubles(rank, ranks) || !is_right_of_one_element(rank)) {
    std::fprintf(stderr, "large: rank %d has wrong data\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) std::printf("large: all right\n");
  MPI_Finalize();
  return 0;
}
