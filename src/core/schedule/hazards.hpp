#pragma once

#include <map>
#include <memory>
#include <memory_resource>
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

  // A list of those that have read a segment, the last one first, which parts of it share.
  struct Reader {
    OperationId operation;
    int earlier;  // the list without it: its first one's place, or `nobody`
  };
  struct Segment {
    int end;
    OperationId writer = nobody;
    int readers = nobody;  // the last one's place
  };
  using Space = std::pmr::map<int, Segment>;  // by first block; gaps were never touched

  Space& space(Buffer buffer) {
    return spaces_[buffer == Buffer::scratch ? 2 : buffer == Buffer::output ? output_space_ : 0];
  }
  static void split(Space& space, int at);
  static void cover(Space& space, int first, int end);

  int output_space_;
  // Little is given back. Trackers may be moved.
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>();
  Space spaces_[3] = {Space(memory_.get()), Space(memory_.get()), Space(memory_.get())};
  std::vector<Reader> readers_;
};

}  // namespace tutti::inline core
