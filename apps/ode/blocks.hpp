#pragma once

#include <mpi.h>

#include <algorithm>

#include "ode/system.hpp"
#include "support/ranks.hpp"
#include "support/report.hpp"

namespace tutti::apps {

/// A vector's components dealt out over the processes of a communicator in blocks of ⌈n/p⌉, of
/// which the last may be shorter.
class Blocks {
 public:
  Blocks() = default;
  Blocks(int n, MPI_Comm comm) : comm_(comm), counts_(at(size_of(comm))), begins_(at(size_of(comm))) {
    const int parts = size_of(comm);
    largest_ = (n + parts - 1) / parts;
    for (int part = 0; part < parts; ++part) {
      begins_[at(part)] = std::min(n, part * largest_);
      counts_[at(part)] = std::min(n, (part + 1) * largest_) - begins_[at(part)];
    }
    mine_ = at(rank_in(comm));
    are_equal_ = n % parts == 0;
  }

  int begin() const { return begins_[mine_]; }
  int count() const { return counts_[mine_]; }
  int largest() const { return largest_; }  ///< ⌈n/p⌉

  /// Everybody's block to everybody; mine is in its place.
  void gather(Vector& whole) const {
    if (are_equal_)
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DOUBLE, whole.data(), count(), MPI_DOUBLE, comm_);
    else
      MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, whole.data(), counts_.data(), begins_.data(), MPI_DOUBLE,
                     comm_);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> counts_, begins_;
  std::size_t mine_ = 0;
  int largest_ = 0;
  bool are_equal_ = false;
};

}  // namespace tutti::apps
