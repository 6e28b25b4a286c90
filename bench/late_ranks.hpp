// Programs in which ranks come late to a collective, for bench/judging and bench/arrival.

#pragma once

#include <mpi.h>
#include <time.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace tutti::bench {

enum class Arrival { balanced, one_late, turns, random };

/// Iterations of computing, during which ranks sleep, a collective, and maybe a native broadcast of
/// `follower` bytes.
class Program {
 public:
  Program(std::string operation, int bytes, Arrival arrival, double computing_s, int follower, unsigned seed)
      : operation_(std::move(operation)),
        count_(bytes / 8),
        arrival_(arrival),
        computing_s_(computing_s),
        follower_(static_cast<std::size_t>(follower)) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    random_.seed(seed + static_cast<unsigned>(rank_));
    in_.resize(static_cast<std::size_t>(count_));
    out_.resize(in_.size() * static_cast<std::size_t>(ranks_));
  }

  /// An iteration; the collective on that communicator. Returns the seconds in it.
  double iterate(MPI_Comm comm) {
    compute();
    const double begin = MPI_Wtime();
    call(comm);
    const double seconds = MPI_Wtime() - begin;
    if (!follower_.empty())
      MPI_Bcast(follower_.data(), static_cast<int>(follower_.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    return seconds;
  }
  int ranks() const { return ranks_; }

 private:
  void call(MPI_Comm comm) {
    if (operation_ == "bcast")
      MPI_Bcast(in_.data(), count_, MPI_DOUBLE, 0, comm);
    else if (operation_ == "reduce")
      MPI_Reduce(in_.data(), out_.data(), count_, MPI_DOUBLE, MPI_SUM, 0, comm);
    else if (operation_ == "allreduce")
      MPI_Allreduce(in_.data(), out_.data(), count_, MPI_DOUBLE, MPI_SUM, comm);
    else
      MPI_Allgather(in_.data(), count_, MPI_DOUBLE, out_.data(), count_, MPI_DOUBLE, comm);
  }

  // The slower ranks take twice as long.
  void compute() {
    double share = 1;
    const int iteration = iteration_++;
    if (arrival_ == Arrival::one_late && rank_ == ranks_ / 3) share = 2;
    if (arrival_ == Arrival::turns && rank_ == iteration % ranks_) share = 2;
    if (arrival_ == Arrival::random) share = std::exponential_distribution(1.0)(random_);
    const double seconds = share * computing_s_;
    const timespec time{static_cast<time_t>(seconds), static_cast<long>(std::fmod(seconds, 1) * 1e9)};
    if (seconds > 0) nanosleep(&time, nullptr);
  }

  std::string operation_;
  int count_;  // of doubles
  Arrival arrival_;
  double computing_s_;
  std::vector<char> follower_;
  int rank_ = 0, ranks_ = 0, iteration_ = 0;
  std::mt19937 random_;
  std::vector<double> in_, out_;
};

inline const std::map<std::string, Arrival> arrivals{{"balanced", Arrival::balanced},
                                                     {"one-late", Arrival::one_late},
                                                     {"turns", Arrival::turns},
                                                     {"random", Arrival::random}};

}  // namespace tutti::bench
