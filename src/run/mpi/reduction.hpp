#pragma once

#include "run/mpi/datatype.hpp"

namespace tutti::run {

/// What all ranks know of a reduction from its operation and datatype.
struct Reduction {
  bool valid;        ///< MPI combines such elements by such an operation; if not it has something to say
  bool commutative;  ///< operands may change places
  bool exact;        ///< the same bits in whatever order operands are combined
  bool predefined;   ///< the operation is MPI's own
};

/// The reduction by a predefined operation that a thread asked for last.
struct LastReduction {
  MPI_Op op{};
  std::uint64_t type_id = 0;  // no type has it
  Reduction reduction{};
};
inline constinit thread_local LastReduction last_reduction;

bool is_predefined(MPI_Op op);
Reduction find_reduction(MPI_Op op, MPI_Datatype type, const TypeInfo& info);

/// Looks a reduction up. Cheap for the one a thread asked for last.
inline Reduction reduction_of(MPI_Op op, MPI_Datatype type, const TypeInfo& info) {
  return last_reduction.type_id == info.id && last_reduction.op == op ? last_reduction.reduction
                                                                      : find_reduction(op, type, info);
}

}  // namespace tutti::run
