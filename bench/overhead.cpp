// What Tutti costs, measured side by side in one run on two ranks, with the library preloaded:
//   native    an interposed call that stays native against a direct call of the MPI library's own entry point
//   executor  a plan against a hand-written loop of the same algorithm
// Medians over many alternating batches. Run by bench/run overhead.

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// A function that is compiled for itself, as in a library.
#ifdef __clang__
#define TUTTI_COMPILED_ALONE [[gnu::noinline]]
#else
#define TUTTI_COMPILED_ALONE [[gnu::noipa]]
#endif

namespace {

constexpr int batches = 401;

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// Nanoseconds a call of each of two functions, batch by batch in turn; the median over batches, and
// of the differences and ratios of neighbours.
template <typename A, typename B>
void compare(const char* what, int calls, MPI_Comm comm, A&& ours, B&& reference) {
  std::vector<double> a, b, difference, ratio;
  const auto batch = [&](auto&& function) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) function();
    return (MPI_Wtime() - begin) / calls * 1e9;
  };
  for (int i = 0; i < batches; ++i) {
    const bool first = i % 2 == 0;
    double mine = 0, theirs = 0;
    if (first) mine = batch(ours);
    theirs = batch(reference);
    if (!first) mine = batch(ours);
    if (i < 10) continue;  // warm up
    a.push_back(mine);
    b.push_back(theirs);
    difference.push_back(mine - theirs);
    ratio.push_back(mine / theirs);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%-44s%10.1f ns%10.1f ns%+10.1f ns%9.3f\n", what, median(a), median(b), median(difference),
                median(ratio));
}

template <typename Function>
Function* direct(const char* name) {
  // The library's own entry point, past everything preloaded: dlsym by name is Tutti's, which
  // serves handles, too.
  void* library = dlopen(TUTTI_MPI_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
    if (auto* look_up = reinterpret_cast<decltype(&dlsym)>(dlvsym(RTLD_NEXT, "dlsym", version));
        library && look_up)
      return reinterpret_cast<Function*>(look_up(library, name));
  return nullptr;
}

void native(MPI_Comm comm, const char* where) {
  auto* bcast = direct<decltype(MPI_Bcast)>("PMPI_Bcast");
  auto* allreduce = direct<decltype(MPI_Allreduce)>("PMPI_Allreduce");
  double x = 1, y = 0;
  compare((std::string("native bcast 8 B, ") + where).c_str(), 2000, comm,
          [&] { MPI_Bcast(&x, 1, MPI_DOUBLE, 0, comm); }, [&] { bcast(&x, 1, MPI_DOUBLE, 0, comm); });
  compare((std::string("native allreduce 8 B, ") + where).c_str(), 2000, comm,
          [&] { MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm); },
          [&] { allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, comm); });
}

// The loops as one would write them for any count, and for any number of ranks that is a power of
// two (allreduce) or any (allgather).
TUTTI_COMPILED_ALONE void hand_allreduce(const double* in, double* out, double* other, int count,
                                         MPI_Comm comm) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(double));
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int partner = rank ^ distance;
    MPI_Sendrecv(out, count, MPI_DOUBLE, partner, 1, other, count, MPI_DOUBLE, partner, 1, comm,
                 MPI_STATUS_IGNORE);
    MPI_Reduce_local(other, out, count, MPI_DOUBLE, MPI_SUM);
  }
}

TUTTI_COMPILED_ALONE void hand_allgather(const char* in, char* out, int block, MPI_Comm comm) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto at = [=](int b) {
    return out + static_cast<std::size_t>((b + 2 * ranks) % ranks) * static_cast<std::size_t>(block);
  };
  std::memcpy(at(rank), in, static_cast<std::size_t>(block));
  for (int round = 0; round < ranks - 1; ++round)
    MPI_Sendrecv(at(rank - round), block, MPI_BYTE, (rank + 1) % ranks, 1, at(rank - 1 - round), block,
                 MPI_BYTE, (rank + ranks - 1) % ranks, 1, comm, MPI_STATUS_IGNORE);
}

void executor() {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  int ranks = 0;
  MPI_Comm_size(own, &ranks);
  double x = 1, y = 0, z = 0;
  compare(
      "allreduce recursive_doubling 8 B", 500, own,
      [&] { MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); },
      [&] { hand_allreduce(&x, &y, &z, 1, own); });
  constexpr int block = 64 << 10;
  std::vector<char> in(block, 1), out(static_cast<std::size_t>(block) * static_cast<std::size_t>(ranks));
  compare(
      "allgather ring 64 KB", 50, own,
      [&] { MPI_Allgather(in.data(), block, MPI_BYTE, out.data(), block, MPI_BYTE, MPI_COMM_WORLD); },
      [&] { hand_allgather(in.data(), out.data(), block, own); });
  MPI_Comm_free(&own);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 1 ? argv[1] : "";
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("%-44s%13s%13s%13s%9s\n", "median over batches", "Tutti", "reference", "difference", "ratio");
  if (what == "native") {
    native(MPI_COMM_SELF, "one rank");
    native(MPI_COMM_WORLD, "all ranks");
  } else {
    executor();
  }
  MPI_Finalize();
  return 0;
}
