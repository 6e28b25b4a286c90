#pragma once

#include <mpi.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "programs/checking/accesses.hpp"

/// Nonblocking collectives beside the one that is checked.
namespace checking {

/// Up to seven nonblocking calls whose results are known, on the communicator of one that is
/// checked. They are completed with it in any order, by any function that completes requests. All
/// ranks draw the same calls, and each for itself how they are completed, and which one-sided
/// accesses it makes meanwhile.
class Crowd {
 public:
  Crowd(MPI_Comm comm, Accesses& accesses, unsigned shared_seed, unsigned own_seed)
      : comm_(comm), accesses_(accesses), shared_(shared_seed), own_(own_seed) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    left_ = shared_() % 8;
  }

  /// Starts some of the calls, or all that are left, each on the communicator or on one that lives
  /// for it alone.
  void start(bool all) {
    for (std::size_t n = all ? left_ : shared_() % (left_ + 1); n > 0; --n, --left_) {
      if (shared_() % 8 == 0)
        start_on_short_lived();
      else
        start_one(comm_);
    }
  }

  /// Completes all, and what else is under way. MPICH 4.0's MPI_Testall does not take persistent
  /// collectives that are complete.
  void complete(MPI_Request checked, bool is_persistent) {
    requests_.push_back(checked);
    may_test_all_ = !is_persistent;
    const unsigned between = shared_() % 4;
    if (between == 0) MPI_Barrier(comm_);
    if (between == 1) pass_round();
    complete_some();
    MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE);
  }

  /// What is wrong with their results; empty: nothing.
  std::string difference() const {
    for (const auto& one : all_)
      for (std::size_t i = 0; i < one->result.size(); ++i)
        if (one->result[i] != one->expected[i])
          return std::string("beside it, ") + one->name + ": element " + std::to_string(i) + " of " +
                 std::to_string(one->result.size()) + " differs";
    return "";
  }

 private:
  struct One {
    const char* name = "";
    std::vector<int> given, result, expected;
  };

  int count() const { return static_cast<int>(requests_.size()); }

  // The communicator has had a call that blocks, so that plans serve it, and is freed at once where
  // the MPI library can do that.
  void start_on_short_lived() {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(comm_, &made);
    MPI_Barrier(made);
    start_one(made);
    // Open MPI 4.1 ends in a segmentation fault when the call is under way.
    if (runs_on("Open MPI")) MPI_Wait(&requests_.back(), MPI_STATUS_IGNORE);
    MPI_Comm_free(&made);
  }

  void start_one(MPI_Comm comm) {
    One& one = *all_.emplace_back(std::make_unique<One>());
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    const int n = static_cast<int>(shared_() % 1500), number = static_cast<int>(shared_() % 1000);
    const auto elements = static_cast<std::size_t>(n), all = elements * static_cast<std::size_t>(ranks_);
    switch (shared_() % 5) {
      case 0: {
        const int root = static_cast<int>(shared_() % static_cast<unsigned>(ranks_));
        one.name = "ibcast";
        one.expected.assign(elements, number);
        one.result.assign(elements, rank_ == root ? number : -1);
        MPI_Ibcast(one.result.data(), n, MPI_INT, root, comm, &request);
        return;
      }
      case 1:
        one.name = "iallreduce";
        one.given.assign(elements, rank_ + number);
        one.expected.assign(elements, ranks_ * (ranks_ - 1) / 2 + ranks_ * number);
        one.result.assign(elements, -1);
        MPI_Iallreduce(one.given.data(), one.result.data(), n, MPI_INT, MPI_SUM, comm, &request);
        return;
      case 2:
        one.name = "iallgather";
        one.given.assign(elements, rank_ + number);
        one.result.assign(all, -1);
        for (std::size_t i = 0; i < all; ++i) one.expected.push_back(static_cast<int>(i / elements) + number);
        MPI_Iallgather(one.given.data(), n, MPI_INT, one.result.data(), n, MPI_INT, comm, &request);
        return;
      case 3:
        one.name = "ialltoall";
        one.result.assign(all, -1);
        for (std::size_t i = 0; i < all; ++i) {
          one.given.push_back(100 * rank_ + static_cast<int>(i / elements));
          one.expected.push_back(100 * static_cast<int>(i / elements) + rank_);
        }
        MPI_Ialltoall(one.given.data(), n, MPI_INT, one.result.data(), n, MPI_INT, comm, &request);
        return;
      default:
        one.name = "ibarrier";
        MPI_Ibarrier(comm, &request);
    }
  }

  // A message round the circle, by functions that block.
  void pass_round() {
    const int next = (rank_ + 1) % ranks_, before = (rank_ + ranks_ - 1) % ranks_;
    int sent = rank_, got = -1;
    MPI_Status status;
    if (rank_ % 2 == 0) {
      MPI_Sendrecv(&sent, 1, MPI_INT, next, 5, &got, 1, MPI_INT, before, 5, comm_, &status);
    } else {
      MPI_Request request;
      MPI_Isend(&sent, 1, MPI_INT, next, 5, comm_, &request);
      MPI_Probe(before, 5, comm_, MPI_STATUS_IGNORE);
      MPI_Recv(&got, 1, MPI_INT, before, 5, comm_, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    One& one = *all_.emplace_back(std::make_unique<One>());
    one = {"messages", {}, {got, status.MPI_SOURCE}, {before, before}};
  }

  // Completes some of them, by some function, again and again.
  void complete_some() {
    std::vector<int> done(requests_.size());
    for (int calls = static_cast<int>(own_() % 12); calls > 0; --calls) {
      int flag = 0, index = 0, some = 0;
      MPI_Request& one = requests_[own_() % requests_.size()];
      switch (own_() % 10) {
        case 0:
          MPI_Wait(&one, MPI_STATUS_IGNORE);
          break;
        case 1:
          MPI_Test(&one, &flag, MPI_STATUS_IGNORE);
          break;
        case 2:
          MPI_Waitany(count(), requests_.data(), &index, MPI_STATUS_IGNORE);
          break;
        case 3:
          MPI_Testany(count(), requests_.data(), &index, &flag, MPI_STATUS_IGNORE);
          break;
        case 4:
          MPI_Waitsome(count(), requests_.data(), &some, done.data(), MPI_STATUSES_IGNORE);
          break;
        case 5:
          MPI_Testsome(count(), requests_.data(), &some, done.data(), MPI_STATUSES_IGNORE);
          break;
        case 6:
          if (may_test_all_) MPI_Testall(count(), requests_.data(), &flag, MPI_STATUSES_IGNORE);
          break;
        case 7:
          if (one != MPI_REQUEST_NULL) MPI_Request_get_status(one, &flag, MPI_STATUS_IGNORE);
          break;
        case 8:
          accesses_.make(own_);
          break;
        default:
          MPI_Iprobe(MPI_ANY_SOURCE, 6, comm_, &flag, MPI_STATUS_IGNORE);
      }
    }
  }

  MPI_Comm comm_;
  Accesses& accesses_;
  std::mt19937 shared_, own_;
  int rank_ = 0, ranks_ = 0;
  std::size_t left_ = 0;
  bool may_test_all_ = true;
  std::vector<MPI_Request> requests_;
  std::vector<std::unique_ptr<One>> all_;
};

}  // namespace checking
