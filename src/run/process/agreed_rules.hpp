#pragma once

#include <cstdint>
#include <memory>

#include "choose/settings/configuration.hpp"
#include "run/mpi/handles.hpp"

namespace tutti::run {

/// The rules that this process goes by, and the hash that ranks compare: of what the rules were
/// read from, here or on the rank that has handed them on. Ranks with one hash have one set of
/// rules.
struct AgreedRules {
  std::shared_ptr<const Rules> rules;
  std::uint64_t hash = 0;

  /// What this process was started with.
  static AgreedRules of(Rules started_with);

  /// Rank 0's of a communicator, the hash of which all have been told. Collective, where not all
  /// have that one: only then are rules made a text.
  AgreedRules handed_on(std::uint64_t hash_of_rank_0, MPI_Comm comm) const;
};

}  // namespace tutti::run
