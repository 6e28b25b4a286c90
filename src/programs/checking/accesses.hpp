#pragma once

#include <mpi.h>

#include <random>
#include <string>
#include <vector>

#include "programs/checking/support.hpp"

namespace checking {

/// One-sided accesses to ranks that are in collectives meanwhile: each adds one to a number of some
/// rank. Where the MPI library makes no window, as Open MPI 4.1 between hosts over TCP, there are
/// none.
class Accesses {
 public:
  /// Collective over all ranks, as `difference` and the end of its life are.
  Accesses() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    made_.assign(static_cast<std::size_t>(ranks_), 0);
    MPI_Comm forgiving = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &forgiving);
    MPI_Comm_set_errhandler(forgiving, MPI_ERRORS_RETURN);
    if (MPI_Win_create(&number_, sizeof number_, sizeof number_, MPI_INFO_NULL, forgiving, &window_) !=
        MPI_SUCCESS)
      window_ = MPI_WIN_NULL;
    MPI_Comm_free(&forgiving);
  }
  Accesses(const Accesses&) = delete;  // the window is memory within it
  ~Accesses() {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }

  /// One access, to the rank that is drawn.
  void make(std::mt19937& random) {
    if (window_ == MPI_WIN_NULL) return;
    const int target = static_cast<int>(random() % static_cast<unsigned>(ranks_));
    const int one = 1;
    MPI_Win_lock(random() % 2 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, window_);
    MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window_);
    MPI_Win_unlock(target, window_);
    ++made_[static_cast<std::size_t>(target)];
  }

  /// What is wrong with the own number; empty: nothing.
  std::string difference() {
    if (window_ == MPI_WIN_NULL) return "";
    std::vector<int> all(made_.size());
    TUTTI_ORACLE(Allreduce, Iallreduce)
    (made_.data(), all.data(), ranks_, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, window_);
    const int found = number_, expected = all[static_cast<std::size_t>(rank_)];
    MPI_Win_unlock(rank_, window_);
    if (found == expected) return "";
    return std::to_string(found) + " one-sided accesses arrived of " + std::to_string(expected);
  }

 private:
  int rank_ = 0, ranks_ = 0;
  int number_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<int> made_;  // by target
};

}  // namespace checking
