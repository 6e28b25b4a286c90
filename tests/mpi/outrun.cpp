// A program in which one rank after the other starts many nonblocking collectives before the others
// start any: these wait for a message that comes behind. Ranks that agree on something between such
// calls can't wait for each other there. What the calls need is freed, and their arrays are
// overwritten, as soon as they were started; behind them come waits, a collective that blocks, or
// communicators that are made. Every result is compared with what it has to be. Prints "outrun: all
// right".
//
// Usage: outrun ROUNDS

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "all_right.hpp"

namespace {

constexpr int burst = 24, count = 200, tag = 7;

void add(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) static_cast<long*>(inout)[i] += static_cast<long*>(in)[i];
}

// Some collectives of one iteration.
class Calls {
 public:
  Calls(MPI_Comm comm, int iteration) : iteration_(iteration) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    root_ = iteration % ranks_;
    const auto all = static_cast<std::size_t>(ranks_);
    word_.assign(2 * count, rank_ == root_ ? iteration : -1);
    sum_.assign(count, rank_ + iteration);
    sent_.assign(all, iteration);
    got_.assign(all, -1);
    start(comm);
  }

  void add_requests(std::vector<MPI_Request>& all) const { all.insert(all.end(), requests_, requests_ + 3); }

  void check() const {
    for (std::size_t i = 0; i < word_.size(); i += 2) require(word_[i] == iteration_, "a broadcast is wrong");
    for (const long value : sum_)
      require(value == long{ranks_} * (ranks_ - 1) / 2 + long{ranks_} * iteration_, "a sum is wrong");
    for (int from = 0; from < ranks_; ++from)
      require(got_[static_cast<std::size_t>(from)] == (goes(from, rank_) ? iteration_ : -1),
              "an alltoallv is wrong");
  }

 private:
  bool goes(int from, int to) const { return (from + to + iteration_) % 2 == 0; }

  void start(MPI_Comm comm) {
    MPI_Datatype every_other;
    MPI_Type_vector(count, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Ibcast(word_.data(), 1, every_other, root_, comm, &requests_[0]);
    MPI_Type_free(&every_other);
    MPI_Op own;
    MPI_Op_create(add, 1, &own);
    MPI_Iallreduce(MPI_IN_PLACE, sum_.data(), count, MPI_LONG, iteration_ % 4 == 0 ? own : MPI_SUM, comm,
                   &requests_[1]);
    MPI_Op_free(&own);
    std::vector<int> out, in, places;
    for (int other = 0; other < ranks_; ++other) {
      out.push_back(goes(rank_, other));
      in.push_back(goes(other, rank_));
      places.push_back(other);
    }
    MPI_Ialltoallv(sent_.data(), out.data(), places.data(), MPI_INT, got_.data(), in.data(), places.data(),
                   MPI_INT, comm, &requests_[2]);
    out.assign(out.size(), 1 << 20);
    places.assign(places.size(), 1 << 20);
  }

  int iteration_, rank_ = 0, ranks_ = 0, root_ = 0;
  std::vector<int> word_, sent_, got_;
  std::vector<long> sum_;
  MPI_Request requests_[3];
};

// On one of two communicators of all ranks, in their order.
void run(MPI_Comm comm, MPI_Comm beside, int round) {
  const int first = round % ranks;
  if (rank != first) MPI_Recv(nullptr, 0, MPI_INT, first, tag, comm, MPI_STATUS_IGNORE);
  std::vector<Calls> calls;
  std::vector<MPI_Request> requests;
  calls.reserve(burst);
  for (int call = 0; call < burst; ++call) {
    calls.emplace_back(comm, round + call);
    calls.back().add_requests(requests);
  }
  for (int other = 0; rank == first && other < ranks; ++other)
    if (other != first) MPI_Send(nullptr, 0, MPI_INT, other, tag, comm);
  MPI_Comm made = MPI_COMM_NULL;
  const int behind = round % 6;
  if (behind == 1) MPI_Barrier(comm);
  if (behind == 2) MPI_Comm_dup(comm, &made);
  if (behind == 3) MPI_Comm_split(comm, rank % 2, rank, &made);
  if (behind == 4) {
    requests.emplace_back();
    MPI_Comm_idup(comm, &made, &requests.back());
  }
  // One blocks while the others wait for what it has started.
  if (behind == 5 && rank == first) MPI_Barrier(beside);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  if (behind == 5 && rank != first) MPI_Barrier(beside);
  for (const Calls& one : calls) one.check();
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("outrun", argc, argv, [&] {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int round = 0; round < (argc > 1 ? std::atoi(argv[1]) : 20); ++round) {
      run(MPI_COMM_WORLD, other, round);
      run(other, MPI_COMM_WORLD, round);
    }
    MPI_Comm_free(&other);
  });
}
