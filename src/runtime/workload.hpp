#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/carry_out.hpp"

namespace tutti::runtime {

/// A collective call to be timed: buffers filled with known values, so that results can be checked.
class Workload {
 public:
  virtual ~Workload() = default;
  /// Puts the arguments' values before a call whose result is to be checked.
  virtual void fill() = 0;
  /// One call, natively or by a plan. Returns MPI's error code.
  virtual int run_natively() = 0;
  virtual int run(const Plan& plan) = 0;
  /// Whether this rank holds the right result of a call after `fill`, from root 0.
  virtual bool check() const = 0;
  /// The root of the calls to come, where the operation has one. Calls one after another from the same root
  /// would run ahead of each other; from ever other roots they can't.
  void set_root(Rank root) { root_ = root; }

 protected:
  Rank root_ = 0;
};

/// A call of `size` bytes (see CollectiveTraits::size_means).
std::unique_ptr<Workload> make_workload(Communicator& communicator, Collective collective, std::size_t size);

}  // namespace tutti::runtime
