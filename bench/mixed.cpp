// A program of collectives for bench/learning-star and learning-groups: on four communicators, each
// with a few operations and sizes that are drawn once, one call of each communicator an iteration,
// drawn too. Prints the time at the end of every hundredth part.
//
// Usage: mixed ITERATIONS SEED [LARGEST], with the largest size in bytes, 63,000 by default.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr std::array sizes_of_communicators{96, 48, 12, 8};
constexpr int kinds = 5;  // of calls, on each communicator

enum Operation {
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  barrier,
  operations
};

struct Kind {
  Operation operation;
  int count;  // of doubles: of the vector, or of a block
};

class Communicator {
 public:
  Communicator(MPI_Comm comm, double largest, std::mt19937& random) : comm_(comm) {
    if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &ranks_);
    for (int i = 0; i < kinds; ++i) {
      const auto operation = static_cast<Operation>(random() % operations);
      const double exponent = std::uniform_real_distribution(1.0, std::log10(largest))(random);
      kinds_.push_back({operation, static_cast<int>(std::pow(10.0, exponent)) / 8 + 1});
    }
  }

  void call(unsigned number) {
    if (comm_ == MPI_COMM_NULL) return;
    const Kind& kind = kinds_[number % kinds_.size()];
    const bool blocks = kind.operation >= gather && kind.operation <= alltoall;
    const int n = blocks ? std::max(1, kind.count / ranks_) : kind.count;
    const auto room = static_cast<std::size_t>(n) * static_cast<std::size_t>(blocks ? ranks_ : 1);
    in_.resize(std::max(in_.size(), room));
    out_.resize(std::max(out_.size(), room));
    switch (kind.operation) {
      case bcast:
        MPI_Bcast(in_.data(), n, MPI_DOUBLE, 0, comm_);
        break;
      case reduce:
        MPI_Reduce(in_.data(), out_.data(), n, MPI_DOUBLE, MPI_SUM, 0, comm_);
        break;
      case allreduce:
        MPI_Allreduce(in_.data(), out_.data(), n, MPI_DOUBLE, MPI_SUM, comm_);
        break;
      case gather:
        MPI_Gather(in_.data(), n, MPI_DOUBLE, out_.data(), n, MPI_DOUBLE, 0, comm_);
        break;
      case scatter:
        MPI_Scatter(in_.data(), n, MPI_DOUBLE, out_.data(), n, MPI_DOUBLE, 0, comm_);
        break;
      case allgather:
        MPI_Allgather(in_.data(), n, MPI_DOUBLE, out_.data(), n, MPI_DOUBLE, comm_);
        break;
      case alltoall:
        MPI_Alltoall(in_.data(), n, MPI_DOUBLE, out_.data(), n, MPI_DOUBLE, comm_);
        break;
      case reduce_scatter: {
        const int each = std::max(1, n / ranks_);
        in_.resize(std::max(in_.size(), static_cast<std::size_t>(each) * static_cast<std::size_t>(ranks_)));
        MPI_Reduce_scatter_block(in_.data(), out_.data(), each, MPI_DOUBLE, MPI_SUM, comm_);
        break;
      }
      default:
        MPI_Barrier(comm_);
    }
  }

 private:
  MPI_Comm comm_;
  int ranks_ = 1;
  std::vector<Kind> kinds_;
  std::vector<double> in_ = {1}, out_ = {1};
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 100;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
  const double largest = argc > 3 ? std::atof(argv[3]) : std::pow(10.0, 4.8);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<Communicator> communicators;
  for (const int ranks : sizes_of_communicators) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
    communicators.emplace_back(comm, largest, random);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  const int part = std::max(1, iterations / 100);
  for (int i = 1; i <= iterations; ++i) {
    for (Communicator& communicator : communicators) communicator.call(static_cast<unsigned>(random()));
    if (i % part == 0 && rank == 0) std::printf("%d %.6f\n", i, MPI_Wtime() - begin);
  }
  MPI_Finalize();
  return 0;
}
