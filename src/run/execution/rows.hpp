#pragma once

#include <cstddef>
#include <vector>

#include "run/mpi/datatype.hpp"

namespace tutti::run {

/// Rows of data in memory, equally long and far apart, and where they are when they are packed: in
/// consecutive bytes, in the order of the type map.
struct Rows {
  std::ptrdiff_t begin = 0;  ///< bytes from the buffer's address
  std::size_t pitch = 0;     ///< bytes from one row to the next
  std::size_t packed = 0, packed_pitch = 0;
  std::size_t width = 0, count = 1;  ///< bytes of a row; how many there are

  std::size_t bytes() const { return width * count; }
  /// Just behind the last byte.
  std::ptrdiff_t end() const { return begin + static_cast<std::ptrdiff_t>((count - 1) * pitch + width); }
};
using RowsList = std::vector<Rows>;

/// Adds rows to a list; those that go on where its last ones end become one with them.
void append(RowsList& list, const Rows& rows);

/// The data of that many elements, in as few rows as their type lets see. Throws std::runtime_error
/// where MPI can't tell where an element's data lie.
RowsList rows_of(std::size_t elements, MPI_Datatype type, const TypeInfo& info);

}  // namespace tutti::run
