#pragma once

#include <cstdint>

#include "runtime/mpi.hpp"

namespace tutti::runtime {

/// What the runtime has to know of a datatype.
struct TypeInfo {
  std::uint64_t id;        ///< never given to another type, unlike a handle, which is reused once freed
  std::size_t size;        ///< bytes of data in one element
  std::ptrdiff_t extent;   ///< bytes from one element to the next
  std::ptrdiff_t true_lb;  ///< where an element's data begin
  std::ptrdiff_t true_extent;
  /// The bytes of n elements lie one after another in the order of the type map, so that they can be sent as
  /// bytes.
  bool contiguous;
  bool predefined;  ///< made by MPI, not by the user
};

/// Looks a datatype up. Costs a look-up for a predefined type seen lately, an attribute look-up for a derived
/// one. Null if MPI can't tell (an invalid handle).
const TypeInfo* type_info(MPI_Datatype type);

/// Gives MPI back the attribute key under which derived types carry their info. No type may be looked up
/// after.
void release_type_attribute();

}  // namespace tutti::runtime
