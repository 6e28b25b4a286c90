// A program that gives learning a lot to learn of calls that return at once: of several sizes, some
// at a time, on several communicators, waited for in every way, while one rank is late and one asks
// for nothing until it needs it. Every result is compared with what it has to be. Prints "learning
// at once: all right".
//
// Usage: learning_at_once ITERATIONS [alone | begun]
//
// "alone": no rank ever calls a collective that blocks. "begun": all call one before anything else,
// and none after it, and there is no communicator but MPI_COMM_WORLD.

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "all_right.hpp"

namespace {

// Calls on a communicator on which all ranks meet in a blocking call now and then, or never.
class AtOnce {
 public:
  AtOnce(MPI_Comm comm, bool meets) : comm_(comm), meets_(meets) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }

  void all(int iteration) {
    for (const int count : {1, 600}) {
      start(count, iteration, 1);
      compute(iteration);
      wait_for_all(iteration);
    }
    start(300, iteration, depth);                          // several at a time
    if (iteration % 7 == 0 && meets_) MPI_Barrier(comm_);  // with calls under way
    wait_for_all(iteration + 1);
    if (iteration % 3 == 0 && meets_) MPI_Barrier(comm_);
  }

 private:
  static constexpr int depth = 3;
  struct Started {
    std::vector<int> word;
    std::vector<long> sum;
    int value;
  };

  void start(int count, int iteration, int calls) {
    for (int call = 0; call < calls; ++call) {
      const int root = (iteration + call) % ranks_, value = iteration + call;
      Started& one = started_.emplace_back(
          Started{std::vector<int>(static_cast<std::size_t>(count), rank_ == root ? value : -1),
                  std::vector<long>(static_cast<std::size_t>(count), rank_ + value), value});
      requests_.resize(requests_.size() + 2);
      MPI_Ibcast(one.word.data(), count, MPI_INT, root, comm_, &requests_[requests_.size() - 2]);
      MPI_Iallreduce(MPI_IN_PLACE, one.sum.data(), count, MPI_LONG, MPI_SUM, comm_, &requests_.back());
    }
  }

  void compute(int iteration) const {
    if (iteration % ranks_ == rank_) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }

  void wait_for_all(int iteration) {
    const int count = static_cast<int>(requests_.size());
    int done = 0, index = 0;
    std::vector<int> indices(requests_.size());
    switch (rank_ == ranks_ - 1 ? 0 : iteration % 5) {
      case 0:
        MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
        break;
      case 1:
        for (MPI_Request& request : requests_) MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 2:
        while (!done)
          MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE), std::this_thread::yield();
        break;
      case 3:
        for (int left = count; left > 0; --left)
          MPI_Waitany(count, requests_.data(), &index, MPI_STATUS_IGNORE);
        break;
      default:
        for (MPI_Request& request : requests_)
          for (done = 0; !done; std::this_thread::yield()) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    for (const Started& one : started_) {
      for (const int value : one.word) require(value == one.value, "a broadcast is wrong");
      for (const long value : one.sum)
        require(value == long{ranks_} * (ranks_ - 1) / 2 + long{ranks_} * one.value, "a sum is wrong");
    }
    requests_.clear();
    started_.clear();
  }

  MPI_Comm comm_;
  bool meets_;
  int rank_ = 0, ranks_ = 0;
  std::vector<MPI_Request> requests_;
  std::deque<Started> started_;
};

// On several communicators at once, one of which is freed in the middle.
void run_at_once(int iterations, bool meets) {
  MPI_Comm other, lonely;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
  MPI_Comm_dup(MPI_COMM_WORLD, &lonely);
  AtOnce first(MPI_COMM_WORLD, meets), second(other, meets), third(lonely, false);
  for (int i = 0; i < iterations; ++i) {
    first.all(i);
    if (i < iterations / 2) second.all(i);
    if (i == iterations / 2) MPI_Comm_free(&other);
    third.all(i);
  }
  MPI_Comm_free(&lonely);
}

// What comes behind a collective that blocks.
void run_on_world(int iterations) {
  MPI_Barrier(MPI_COMM_WORLD);
  AtOnce world(MPI_COMM_WORLD, false);
  for (int i = 0; i < iterations; ++i) world.all(i);
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("learning at once", argc, argv, [&] {
    const int iterations = argc > 1 ? std::atoi(argv[1]) : 100;
    if (argc > 2 && std::strcmp(argv[2], "begun") == 0)
      run_on_world(iterations);
    else
      run_at_once(iterations, argc <= 2);
  });
}
