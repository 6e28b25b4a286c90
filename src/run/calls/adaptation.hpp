#pragma once

#include <memory>

#include "core/network/remeasured.hpp"
#include "core/synthesis/known_network.hpp"
#include "run/calls/context.hpp"
#include "run/mpi/handles.hpp"

namespace tutti::run {

/// Keeps what schedules are computed for up to date: between calls the ranks of a communicator
/// measure the bandwidths between them again, at the first call and then about every `interval_s`
/// seconds. Rank 0's clock decides; when it is asked next follows from calls, which all ranks count
/// alike.
class Adaptation {
 public:
  /// `network` is of the communicator's ranks.
  Adaptation(Network network, double interval_s) : network_(std::move(network)), interval_s_(interval_s) {}

  /// Called by all ranks of the communicator before a call by a computed plan; they measure in the
  /// context. The new network where one was measured that is another than `known`, the last, else
  /// null.
  std::shared_ptr<const KnownNetwork> before_call(MPI_Comm comm, const Context& context,
                                                  const KnownNetwork& known);

 private:
  bool is_due(MPI_Comm comm);
  std::vector<PairTime> measure(MPI_Comm comm, const Context& context);

  Network network_;
  double interval_s_;
  int calls_left_ = 0;  // until rank 0 is asked
  int calls_between_ = 1;
  double asked_at_ = 0, measured_at_ = 0;  // rank 0's clock, seconds
  bool measured_ = false;
  std::size_t next_round_ = 0;
};

}  // namespace tutti::run
