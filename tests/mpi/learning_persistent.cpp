// A program that gives learning a lot to learn of persistent collectives: on two communicators, of
// which ranks start requests in different orders, waited for in the ways that MPICH 4.0 has right
// natively (not MPI_Waitany and MPI_Testall), while one rank is late.
// Some requests are freed in the middle, some outlive their communicator, and one is never freed.
// Every result is compared with what it has to be. Prints "learning persistent: all right".
//
// Usage: learning_persistent ITERATIONS [one | irregular]
//
// "one": sums alone, by one request, one start after the other. "irregular": so are exchanges of
// blocks of which each rank knows its own.

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "all_right.hpp"

namespace {

// A request that exchanges blocks: each rank sends blocks of its own length to all.
class Exchange {
 public:
  Exchange(MPI_Comm comm, int count) {
    const auto p = static_cast<std::size_t>(ranks);
    const int own = length_of(rank, count);
    sent_.assign(p, own);
    for (int peer = 0; peer < ranks; ++peer) {
      from_.push_back(peer * own);
      received_.push_back(length_of(peer, count));
      to_.push_back(static_cast<int>(got_.size()));
      got_.resize(got_.size() + static_cast<std::size_t>(received_.back()));
    }
    given_.resize(p * static_cast<std::size_t>(own));
    MPI_Alltoallv_init(given_.data(), sent_.data(), from_.data(), MPI_INT, got_.data(), received_.data(),
                       to_.data(), MPI_INT, comm, MPI_INFO_NULL, &made);
  }

  void fill(int number) {
    given_.assign(given_.size(), rank + number);
    got_.assign(got_.size(), -1);
  }
  void look(int number) const {
    auto at = got_.begin();
    for (int peer = 0; peer < ranks; ++peer)
      for (int i = 0; i < received_[static_cast<std::size_t>(peer)]; ++i)
        require(*at++ == peer + number, "a block is wrong");
  }

  MPI_Request made;

 private:
  static int length_of(int of, int count) { return count << 2 * of; }

  std::vector<int> sent_, from_, received_, to_, given_, got_;
};

// A sum over ranks, a broadcast, a barrier and an exchange of a communicator.
class Requests {
 public:
  Requests(MPI_Comm comm, int count)
      : given_(static_cast<std::size_t>(count)),
        total_(given_.size()),
        word_(given_.size()),
        exchange_(comm, count),
        made_(4) {
    MPI_Allreduce_init(given_.data(), total_.data(), count, MPI_LONG, MPI_SUM, comm, MPI_INFO_NULL,
                       &made_[0]);
    MPI_Bcast_init(word_.data(), count, MPI_INT, root, comm, MPI_INFO_NULL, &made_[1]);
    MPI_Barrier_init(comm, MPI_INFO_NULL, &made_[2]);
    made_[3] = exchange_.made;
  }

  void start(int number) {
    for (std::size_t i = 0; i < given_.size(); ++i) given_[i] = rank + number + static_cast<long>(i);
    total_.assign(total_.size(), -1);
    word_.assign(word_.size(), rank == root ? number : -1);
    exchange_.fill(number);
    if (number % 2 == 0)
      for (MPI_Request& request : made_) MPI_Start(&request);
    else
      MPI_Startall(static_cast<int>(made_.size()), made_.data());
  }
  void wait(int number) {
    const int count = static_cast<int>(made_.size());
    int done = 0;
    switch (rank == ranks - 1 ? 0 : number % 3) {
      case 0:
        MPI_Waitall(count, made_.data(), MPI_STATUSES_IGNORE);
        break;
      case 1:
        for (MPI_Request& request : made_) MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      default:
        for (MPI_Request& request : made_)
          for (done = 0; !done; std::this_thread::yield()) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const long each = number + static_cast<long>(i);
      require(total_[i] == long{ranks} * (ranks - 1) / 2 + ranks * each, "a sum is wrong");
      require(word_[i] == number, "a broadcast is wrong");
    }
    exchange_.look(number);
  }
  void free() {
    for (MPI_Request& request : made_) MPI_Request_free(&request);
  }

 private:
  static constexpr int root = 1;
  std::vector<long> given_, total_;
  std::vector<int> word_;
  Exchange exchange_;
  std::vector<MPI_Request> made_;
};

// Open MPI 5.0 crashes natively where a persistent collective starts on a freed communicator.
#ifdef OPEN_MPI
constexpr bool requests_outlive_communicators = false;
#else
constexpr bool requests_outlive_communicators = true;
#endif

void run_many(int iterations) {
  MPI_Comm other, gone;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_dup(MPI_COMM_WORLD, &gone);
  Requests first(MPI_COMM_WORLD, 1), second(other, 600), outliving(gone, 50);
  if (requests_outlive_communicators) MPI_Comm_free(&gone);
  for (int i = 0; i < iterations; ++i) {
    if (i % ranks == rank) std::this_thread::sleep_for(std::chrono::microseconds(200));
    Requests* order[] = {&first, &second, &outliving};
    if (rank % 2 == 1) std::swap(order[0], order[2]);  // on different communicators
    for (Requests* requests : order) requests->start(i);
    if (i % 3 == 0) MPI_Barrier(MPI_COMM_WORLD);
    for (Requests* requests : order) requests->wait(i);
    if (i == iterations / 2) {
      second.free();
      second = Requests(other, 300);
    }
  }
  second.free();
  outliving.free();
  if (!requests_outlive_communicators) MPI_Comm_free(&gone);
  MPI_Comm_free(&other);
}

void run_one(int iterations) {
  constexpr int length = 100;
  std::vector<int> given(length), total(length);
  MPI_Request request;
  MPI_Allreduce_init(given.data(), total.data(), length, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &request);
  for (int i = 0; i < iterations; ++i) {
    given.assign(length, rank + i);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (const int number : total) require(number == ranks * (ranks - 1) / 2 + ranks * i, "a sum is wrong");
  }
  MPI_Request_free(&request);
}

void run_irregular(int iterations) {
  Exchange exchange(MPI_COMM_WORLD, 100);
  for (int i = 0; i < iterations; ++i) {
    exchange.fill(i);
    MPI_Start(&exchange.made);
    MPI_Wait(&exchange.made, MPI_STATUS_IGNORE);
    exchange.look(i);
  }
  MPI_Request_free(&exchange.made);
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("learning persistent", argc, argv, [&] {
    const int iterations = argc > 1 ? std::atoi(argv[1]) : 100;
    if (argc > 2 && std::strcmp(argv[2], "one") == 0)
      run_one(iterations);
    else if (argc > 2)
      run_irregular(iterations);
    else
      run_many(iterations);
  });
}
