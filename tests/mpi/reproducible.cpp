// Floating-point reductions in the fixed order of operands: under TUTTI_FLOAT_SUMS=reproducible
// every result has to be, bit for bit, what this program computes by itself in that order. Sizes,
// roots and placements of buffers differ; terms differ in magnitude, so that any other order shows.
//
// Usage: reproducible SEED. Each rank names its first difference; the exit status is 1 then. (A
// launcher may lose what was said right before MPI_Abort.)

#include <mpi.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

int rank = 0, ranks = 0, differences = 0;

template <typename T>
using Terms = std::vector<std::vector<T>>;  // by rank

// The first 2^k of them, for the largest 2^k below their number, with the others.
template <typename T, typename Combine>
T in_fixed_order(const Terms<T>& terms, std::size_t at, int first, int end, Combine combine) {
  if (end - first == 1) return terms[static_cast<std::size_t>(first)][at];
  const int half = static_cast<int>(std::bit_floor(static_cast<unsigned>(end - first - 1)));
  return combine(in_fixed_order(terms, at, first, first + half, combine),
                 in_fixed_order(terms, at, first + half, end, combine));
}

template <typename T, typename Combine>
T in_turn(const Terms<T>& terms, std::size_t at, int end, Combine combine) {
  T result = terms[0][at];
  for (int next = 1; next < end; ++next) result = combine(result, terms[static_cast<std::size_t>(next)][at]);
  return result;
}

template <typename T>
void expect_same(const std::vector<T>& got, const std::vector<T>& wanted, const std::string& what) {
  if (std::memcmp(got.data(), wanted.data(), wanted.size() * sizeof(T)) == 0) return;
  if (differences++ > 0) return;
  std::fprintf(stderr, "reproducible: rank %d: %s of %zu elements differs\n", rank, what.c_str(),
               wanted.size());
}

template <typename T, typename Combine>
void compare(std::size_t count, MPI_Datatype type, MPI_Op op, Combine combine, std::mt19937& random) {
  Terms<T> terms(static_cast<std::size_t>(ranks));
  for (auto& mine : terms)
    for (std::size_t i = 0; i < count; ++i)
      mine.push_back(static_cast<T>(std::ldexp(static_cast<double>(random()) / 4294967296.0 - 0.5,
                                               op == MPI_SUM ? static_cast<int>(random() % 40) - 20 : 1)));
  std::vector<T> all(count), before(count), through(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i] = in_fixed_order(terms, i, 0, ranks, combine);
    through[i] = in_turn(terms, i, rank + 1, combine);
    if (rank > 0) before[i] = in_turn(terms, i, rank, combine);
  }
  const std::vector<T>& mine = terms[static_cast<std::size_t>(rank)];
  const auto n = static_cast<int>(count);
  const std::vector<T> garbage(count, static_cast<T>(-1));

  auto got = garbage;
  MPI_Allreduce(mine.data(), got.data(), n, type, op, MPI_COMM_WORLD);
  expect_same(got, all, "allreduce");
  got = mine;
  MPI_Allreduce(MPI_IN_PLACE, got.data(), n, type, op, MPI_COMM_WORLD);
  expect_same(got, all, "allreduce in place");
  for (int root = 0; root < ranks; ++root) {
    got = garbage;
    MPI_Reduce(mine.data(), got.data(), n, type, op, root, MPI_COMM_WORLD);
    expect_same(got, rank == root ? all : garbage, "reduce to " + std::to_string(root));
  }
  got = garbage;
  MPI_Scan(mine.data(), got.data(), n, type, op, MPI_COMM_WORLD);
  expect_same(got, through, "scan");
  got = garbage;
  MPI_Exscan(mine.data(), got.data(), n, type, op, MPI_COMM_WORLD);
  if (rank > 0) expect_same(got, before, "exscan");

  const std::size_t each = count / static_cast<std::size_t>(ranks),
                    first = each * static_cast<std::size_t>(rank);
  if (each == 0) return;
  const auto block = [&](std::size_t from, std::size_t length) {
    return std::vector<T>(all.begin() + static_cast<std::ptrdiff_t>(from),
                          all.begin() + static_cast<std::ptrdiff_t>(from + length));
  };
  got = std::vector<T>(each);
  MPI_Reduce_scatter_block(mine.data(), got.data(), static_cast<int>(each), type, op, MPI_COMM_WORLD);
  expect_same(got, block(first, each), "reduce_scatter_block");
  std::vector<int> counts(static_cast<std::size_t>(ranks), static_cast<int>(each));
  counts.back() = static_cast<int>(count - each * static_cast<std::size_t>(ranks - 1));
  got = std::vector<T>(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]));
  MPI_Reduce_scatter(mine.data(), got.data(), counts.data(), type, op, MPI_COMM_WORLD);
  expect_same(got, block(first, got.size()), "reduce_scatter");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::mt19937 random(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1);
  for (int time = 0; time < 12; ++time) {
    const std::size_t count = time == 0 ? 1 : 1 + random() % (std::size_t{1} << (3 + time));
    compare<double>(
        count, MPI_DOUBLE, MPI_SUM, [](double a, double b) { return a + b; }, random);
    compare<float>(
        count, MPI_FLOAT, MPI_SUM, [](float a, float b) { return a + b; }, random);
    compare<double>(
        count, MPI_DOUBLE, MPI_PROD, [](double a, double b) { return a * b; }, random);
  }
  int all = 0;
  MPI_Allreduce(&differences, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) std::printf("reproducible: the same bits\n");
  MPI_Finalize();
  return all > 0;
}
