// Alltoallvs of which most counts are zero, for bench/sparse: each rank sends something to a given
// share of the ranks, drawn at random for all pairs alike; blocks have sizes about a mean. Carried
// out by MPI_Alltoallv, or by hand: one nonblocking message for each block that is not empty.
// Prints microseconds a call, by the rank that takes longest, as JSON; what arrives is checked.
//
// Usage: sparse collective|by-hand CALLS FILLED MEAN SEED.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

struct Side {
  std::vector<int> counts, at;
  std::vector<unsigned char> bytes;

  void lay_out() {
    int total = 0;
    for (const int count : counts) at.push_back(total), total += count;
    bytes.resize(static_cast<std::size_t>(total) + 1);
  }
};

unsigned char content(int from, int to, int call, int place) {
  return static_cast<unsigned char>(from * 7 + to * 13 + call * 3 + place);
}

class Exchange {
 public:
  Exchange(int rank, int ranks, double filled, double mean, std::mt19937& random)
      : rank_(rank), ranks_(ranks) {
    std::uniform_real_distribution<double> part(0, 1);
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) {
        const double lot = part(random), share = part(random);
        const int count = lot < filled ? 1 + static_cast<int>(2 * mean * share) : 0;
        if (from == rank) sent_.counts.push_back(count);
        if (to == rank) received_.counts.push_back(count);
      }
    sent_.lay_out();
    received_.lay_out();
  }

  void fill(int call) {
    for (int to = 0; to < ranks_; ++to)
      for (int i = 0; i < sent_.counts[at(to)]; ++i)
        sent_.bytes[at(sent_.at[at(to)] + i)] = content(rank_, to, call, i);
  }

  bool is_right(int call) const {
    for (int from = 0; from < ranks_; ++from)
      for (int i = 0; i < received_.counts[at(from)]; ++i)
        if (received_.bytes[at(received_.at[at(from)] + i)] != content(from, rank_, call, i)) return false;
    return true;
  }

  void by_collective() {
    MPI_Alltoallv(sent_.bytes.data(), sent_.counts.data(), sent_.at.data(), MPI_BYTE, received_.bytes.data(),
                  received_.counts.data(), received_.at.data(), MPI_BYTE, MPI_COMM_WORLD);
  }

  void by_hand() {
    requests_.clear();
    for (int i = 0; i < ranks_; ++i) {
      const int from = (rank_ - i + ranks_) % ranks_;
      if (received_.counts[at(from)] > 0)
        MPI_Irecv(received_.bytes.data() + received_.at[at(from)], received_.counts[at(from)], MPI_BYTE, from,
                  0, MPI_COMM_WORLD, &requests_.emplace_back());
    }
    for (int i = 0; i < ranks_; ++i) {
      const int to = (rank_ + i) % ranks_;
      if (sent_.counts[at(to)] > 0)
        MPI_Isend(sent_.bytes.data() + sent_.at[at(to)], sent_.counts[at(to)], MPI_BYTE, to, 0,
                  MPI_COMM_WORLD, &requests_.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  int rank_, ranks_;
  Side sent_, received_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool by_hand = argc > 1 && std::string(argv[1]) == "by-hand";
  const int calls = argc > 2 ? std::atoi(argv[2]) : 100;
  const double filled = argc > 3 ? std::atof(argv[3]) : 0.1, mean = argc > 4 ? std::atof(argv[4]) : 256;
  std::mt19937 random(argc > 5 ? static_cast<unsigned>(std::atoi(argv[5])) : 1);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Exchange exchange(rank, ranks, filled, mean, random);
  constexpr int unmeasured = 3;  // what begins with the first calls is over then
  double seconds = 0;
  int wrong = 0;
  for (int call = -unmeasured; call < calls; ++call) {
    exchange.fill(call);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    by_hand ? exchange.by_hand() : exchange.by_collective();
    const double own = MPI_Wtime() - begin;
    wrong += exchange.is_right(call) ? 0 : 1;
    double slowest = 0;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (call >= 0) seconds += slowest;
  }
  int all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("{\"microseconds\": %.3f, \"wrong\": %d}\n", 1e6 * seconds / calls, all_wrong);
  MPI_Finalize();
  return all_wrong == 0 ? 0 : 1;
}
