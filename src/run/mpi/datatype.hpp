#pragma once

#include <cstdint>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// What the runtime has to know of a datatype.
struct TypeInfo {
  std::uint64_t id;        ///< never given to another type, unlike a handle, which is reused once freed
  std::size_t size;        ///< bytes of data in one element
  std::ptrdiff_t extent;   ///< bytes from one element to the next
  std::ptrdiff_t true_lb;  ///< where an element's data begin
  std::ptrdiff_t true_extent;
  /// The bytes of n elements lie one after another in the order of the type map, so that they can
  /// be sent as bytes.
  bool contiguous;
  bool predefined;  ///< made by MPI, not by the user
};

/// The predefined type that a thread asked for last.
struct LastType {
  MPI_Datatype type{};
  const TypeInfo* info = nullptr;
};
inline constinit thread_local LastType last_type;

const TypeInfo* find_type(MPI_Datatype type);

/// Looks a datatype up. Costs a comparison for the predefined type seen last, an attribute look-up
/// for a derived one. Null if MPI can't tell (an invalid handle), and of types that are not
/// committed, on which no message can be sent.
inline const TypeInfo* type_info(MPI_Datatype type) {
  return last_type.info && last_type.type == type ? last_type.info : find_type(type);
}

/// Gives MPI back the attribute key under which derived types carry their info, and forgets those
/// that MPI made: it is about to end.
void forget_types();

}  // namespace tutti::run
