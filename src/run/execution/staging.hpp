#pragma once

#include "run/mpi/datatype.hpp"

namespace tutti::run {

/// Packs `count` elements into as many bytes as they hold data, or back. More than 2^31 bytes in
/// all are allowed. Returns MPI's error code.
int pack(const void* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info, char* bytes);
int unpack(const char* bytes, void* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info);

/// Copies elements that do not overlap, gaps left untouched. Returns MPI's error code.
int copy_elements(const void* from, void* into, std::size_t count, MPI_Datatype type, bool contiguous,
                  std::ptrdiff_t extent);

}  // namespace tutti::run
