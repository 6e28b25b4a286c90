#pragma once

#include <map>
#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// Finds what an operation has to wait for from the blocks it reads and writes, as a processor does
/// for registers: a read waits for the last write, a write for the last write and all reads since.
///
/// Where a collective's input and output may be the same memory (MPI_IN_PLACE) they are one space.
class HazardTracker {
 public:
  explicit HazardTracker(bool aliases) : output_space_(aliases ? 0 : 1) {}

  /// Notes that `operation` reads `range`; appends what it waits for to `after` (unsorted, with
  /// repetitions).
  void read(OperationId operation, const BlockRange& range, std::vector<OperationId>& after);
  /// Notes that `operation` writes `range`; appends what it waits for, like `read`.
  void write(OperationId operation, const BlockRange& range, std::vector<OperationId>& after);

 private:
  static constexpr OperationId nobody = -1;

  struct Segment {
    int end;
    OperationId writer = nobody;
    std::vector<OperationId> readers;
  };
  using Space = std::map<int, Segment>;  // by first block; gaps were never touched

  Space& space(Buffer buffer) {
    return spaces_[buffer == Buffer::scratch ? 2 : buffer == Buffer::output ? output_space_ : 0];
  }
  static void split(Space& space, int at);
  static void cover(Space& space, int first, int end);

  int output_space_;
  Space spaces_[3];
};

}  // namespace tutti::inline core
