#pragma once

#include "runtime/datatype.hpp"

namespace tutti::runtime {

/// What all ranks know of a reduction from its operation and datatype.
struct Reduction {
  bool valid;        ///< MPI combines such elements by such an operation; if not it has something to say
  bool commutative;  ///< operands may change places
};

/// Looks a reduction up. Cheap for the one a thread asked for last.
Reduction reduction_of(MPI_Op op, MPI_Datatype type, const TypeInfo& info);

}  // namespace tutti::runtime
