// A program that gives learning a lot to learn of calls that return at once: of several sizes, some
// of which no rank knows, some calls at a time, on several communicators and between neighbours,
// waited for in every way, while one rank is late and one asks for nothing until it needs it. Every
// result is compared with what it has to be. Prints "learning at once: all right".
//
// Usage: learning_at_once ITERATIONS [alone | world | begun | made]
//
// "alone": no rank ever calls a collective that blocks. "world": nor is there a communicator but
// MPI_COMM_WORLD. "begun": all call one before anything else, and none after it, there. "made":
// communicators are made behind calls on MPI_COMM_WORLD, and of one of these.

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string_view>
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
    std::vector<int> given, got;
    int value;
  };

  void start(int count, int iteration, int calls) {
    for (int call = 0; call < calls; ++call) {
      const int root = (iteration + call) % ranks_, value = iteration + call;
      Started& one = started_.emplace_back(
          Started{.word = std::vector<int>(static_cast<std::size_t>(count), rank_ == root ? value : -1),
                  .sum = std::vector<long>(static_cast<std::size_t>(count), rank_ + value),
                  .given = {},
                  .got = {},
                  .value = value});
      requests_.resize(requests_.size() + 3);
      MPI_Ibcast(one.word.data(), count, MPI_INT, root, comm_, &requests_[requests_.size() - 3]);
      MPI_Iallreduce(MPI_IN_PLACE, one.sum.data(), count, MPI_LONG, MPI_SUM, comm_,
                     &requests_[requests_.size() - 2]);
      exchange(one, count);
    }
  }

  // Each rank sends blocks of its own length to all, in arrays that are gone when the call returns.
  void exchange(Started& one, int count) {
    const auto p = static_cast<std::size_t>(ranks_);
    const int own = count * (rank_ + 1);
    std::vector<int> sent(p, own), from(p), received(p), to(p);
    for (int peer = 0; peer < ranks_; ++peer) {
      const auto i = static_cast<std::size_t>(peer);
      from[i] = peer * own;
      received[i] = count * (peer + 1);
      to[i] = peer == 0 ? 0 : to[i - 1] + received[i - 1];
    }
    one.given.assign(p * static_cast<std::size_t>(own), rank_ + one.value);
    one.got.assign(static_cast<std::size_t>(to.back() + received.back()), -1);
    MPI_Ialltoallv(one.given.data(), sent.data(), from.data(), MPI_INT, one.got.data(), received.data(),
                   to.data(), MPI_INT, comm_, &requests_.back());
  }

  // Blocks of all ranks, one after the other.
  void require_blocks(const Started& one) const {
    const std::size_t count = one.word.size();
    auto at = one.got.begin();
    for (int peer = 0; peer < ranks_; ++peer)
      for (std::size_t i = 0; i < count * static_cast<std::size_t>(peer + 1); ++i)
        require(*at++ == peer + one.value, "a block is wrong");
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
      require_blocks(one);
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

// A communicator whose ranks are in a ring.
MPI_Comm make_ring() {
  const int around[] = {1}, lengths[] = {ranks};
  MPI_Comm made;
  MPI_Cart_create(MPI_COMM_WORLD, 1, lengths, around, 0, &made);
  return made;
}

// A communicator whose first rank is the neighbour of all others: no pattern that ranks can tell.
MPI_Comm make_star() {
  std::vector<int> peers;
  for (int peer = 1; peer < ranks && rank == 0; ++peer) peers.push_back(peer);
  if (rank != 0) peers.push_back(0);
  const int degree = static_cast<int>(peers.size());
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, peers.data(), MPI_UNWEIGHTED, degree, peers.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  return made;
}

// Calls between neighbours, which are all that a program makes there.
// @{
void exchange_in_ring(MPI_Comm ring, int value) {
  const std::vector<int> given{rank - value, rank + value};
  std::vector<int> got(2, -1);
  MPI_Request request;
  MPI_Ineighbor_alltoall(given.data(), 1, MPI_INT, got.data(), 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const int before = (rank + ranks - 1) % ranks, behind = (rank + 1) % ranks;
  // Two ranks are each other's neighbours twice, in an order in which MPI libraries differ.
  if (ranks > 2) require(got == std::vector{before + value, behind - value}, "neighbours' blocks are wrong");
}
void gather_in_star(MPI_Comm star, int value) {
  const int own = rank + value;
  std::vector<int> got(rank == 0 ? static_cast<std::size_t>(ranks - 1) : 1, -1);
  MPI_Request request;
  MPI_Ineighbor_allgather(&own, 1, MPI_INT, got.data(), 1, MPI_INT, star, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < got.size(); ++i)
    require(got[i] == value + (rank == 0 ? static_cast<int>(i) + 1 : 0), "a neighbour's block is wrong");
}
// @}

// On several communicators at once, one of which is freed in the middle.
void run_at_once(int iterations, bool meets) {
  MPI_Comm other, lonely, ring = make_ring(), star = make_star();
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
  MPI_Comm_dup(MPI_COMM_WORLD, &lonely);
  AtOnce first(MPI_COMM_WORLD, meets), second(other, meets), third(lonely, false);
  for (int i = 0; i < iterations; ++i) {
    first.all(i);
    if (i < iterations / 2) second.all(i);
    if (i == iterations / 2) MPI_Comm_free(&other);
    third.all(i);
    exchange_in_ring(ring, i);
    gather_in_star(star, i);
  }
  MPI_Comm_free(&lonely);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&star);
}

// Where there is no other communicator.
void run_on_world(int iterations) {
  AtOnce world(MPI_COMM_WORLD, false);
  for (int i = 0; i < iterations; ++i) world.all(i);
}

// On communicators that are made when it is known that there are such calls.
void run_on_made(int iterations) {
  AtOnce(MPI_COMM_WORLD, false).all(0);
  MPI_Comm made, of_made, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_dup(made, &of_made);
  MPI_Comm_split(of_made, rank % 2, rank, &half);
  AtOnce on_made(made, false), on_of_made(of_made, false), on_half(half, false);
  for (int i = 0; i < iterations; ++i) {
    on_half.all(i);
    on_of_made.all(i);
    on_made.all(i);
  }
  MPI_Comm_free(&half);
  MPI_Comm_free(&of_made);
  MPI_Comm_free(&made);
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("learning at once", argc, argv, [&] {
    const int iterations = argc > 1 ? std::atoi(argv[1]) : 100;
    const std::string_view how = argc > 2 ? argv[2] : "";
    if (how == "begun") MPI_Barrier(MPI_COMM_WORLD);
    if (how == "begun" || how == "world")
      run_on_world(iterations);
    else if (how == "made")
      run_on_made(iterations);
    else
      run_at_once(iterations, how.empty());
  });
}
