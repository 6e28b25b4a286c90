#pragma once

#include <string>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// Under what conditions a schedule is to be proven.
struct Conditions {
  bool in_place = false;  ///< is each rank's input the same memory as its output
  /// Does a rank have one send and one receive under way at most, in the order of its operations.
  /// What ends so ends under any bound on messages under way: each only makes some messages wait
  /// for earlier ones of their direction.
  bool one_at_a_time = false;
  /// Do results of a reduction have to be combined in the fixed order (ValueTable::combined), so
  /// that floating-point numbers come out the same, bit for bit, whatever the plan. The library's
  /// own phases have an order that nobody knows.
  bool fixed_order = false;
};

/// What is wrong, and where.
struct Violation {
  Rank rank;
  OperationId operation;  ///< −1: the rank's result, after all operations
  int block;              ///< −1: no block in particular
  std::string message;    ///< complete: names rank, operation and block
};

/// Proves a schedule by running all its parts symbolically. Where it has a symmetry, which has to
/// hold for all its parts and blocks (proven_symmetry), those that stand for all: what comes from
/// another rank is what its representative has, moved. It is right if nothing is returned:
///   - every message is received, as large as it was sent, and both sides let it go through
///     memory, or neither;
///   - it ends even if MPI buffers nothing (every send waits for its receive);
///   - no two operations of a rank that may overlap touch the same block, unless both only read;
///   - nothing is read that was not written before, no input is written, and no block of the
///     caller's is touched where there is none;
///   - every rank ends with exactly the contributions the collective asks for, each once, and in
///     rank order if the operation does not commute (Shape::commutative);
///   - no rank leaves a barrier before all have come.
/// At most `limit` violations are returned, the first ones found; later kinds are not looked for
/// when earlier ones fail.
std::vector<Violation> verify(const Schedule& schedule, Conditions conditions, std::size_t limit = 5);

}  // namespace tutti::inline core
