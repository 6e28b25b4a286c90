#pragma once

#include <memory>
#include <vector>

#include "run/calls/carry_out.hpp"

namespace tutti::run {

/// A collective call to be timed: buffers filled with known values, so that results can be checked.
class Workload {
 public:
  Workload(Communicator& communicator, Collective collective)
      : communicator_(communicator), collective_(collective) {}
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  virtual ~Workload() = default;

  /// Puts the arguments' values before a call whose result is to be checked.
  virtual void fill() = 0;
  /// Whether this rank holds the right result of a call after `fill`, from root 0.
  virtual bool check() const = 0;

  /// Runs one call, natively or by a plan. Returns MPI's error code.
  virtual int run_natively() { return run::run_natively(collective_, communicator_.user(), call_); }
  int run(const Plan& plan) { return carry_out(communicator_, plan, call_); }

  /// Runs one call nonblocking, with `computing_s` seconds of computing between start and end, in
  /// pieces between which the request is looked at.
  int run_behind(const Plan& plan, double computing_s);

  /// The root of the calls to come, where the operation has one. Calls one after another from the
  /// same root would run ahead of each other; from ever other roots they can't.
  void set_root(Rank root) {
    if (traits(collective_).rooted) call_.root = root;
  }

  /// This process' rank in the communicator.
  Rank rank() const { return communicator_.rank(); }

 protected:
  int ranks() const { return communicator_.ranks(); }

  Communicator& communicator_;
  Collective collective_;
  Call call_;
};

/// The bytes of a rank's buffers for such a call: of the rank that has most.
double workload_bytes(Collective collective, int ranks, std::size_t size);

/// A call of `size` bytes (CollectiveTraits::size_means; where it means nothing: of each block).
/// Irregular variants get equal blocks, unless `lengths` says otherwise and the collective has such
/// (has_lengths).
std::unique_ptr<Workload> make_workload(Communicator& communicator, Collective collective, std::size_t size,
                                        BlockLengths lengths = BlockLengths::equal);

}  // namespace tutti::run
