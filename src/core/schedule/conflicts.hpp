#pragma once

#include <vector>

#include "core/schedule/schedule.hpp"

namespace tutti::inline core {

/// The ranges an operation reads and writes. A copy, reduction or native phase names `into` first.
std::vector<BlockRange> read_ranges(const Part& part, const Operation& operation);
std::vector<BlockRange> written_ranges(const Part& part, const Operation& operation);

/// Two operations of one rank that neither waits for the other and that both touch a block, one of
/// them writing.
struct Conflict {
  OperationId earlier, later;
  int block;
};

/// All pairs of conflicting neighbours in the list of accesses to each block that are not ordered
/// by `after`.
std::vector<Conflict> find_conflicts(const Part& part, bool in_place);

}  // namespace tutti::inline core
