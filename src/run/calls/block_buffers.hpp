#pragma once

#include <algorithm>

#include "run/calls/communicator.hpp"
#include "run/execution/rows.hpp"
#include "run/mpi/call.hpp"
#include "run/mpi/datatype.hpp"

namespace tutti::run {

/// The blocks of data that a call of an operation that moves blocks has in one of its two buffers.
struct BlockBuffer {
  char* address = nullptr;  ///< of block `first`, or of displacement 0
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const TypeInfo* info = nullptr;
  const MPI_Datatype* types = nullptr;  ///< by block, where each has its own: displacements are in bytes
  int first = 0, count = 0;             ///< the blocks there are
  std::int64_t each = 0;  ///< elements of each block, one block after another, if not `irregular`
  bool irregular = false;
  Numbers counts, displacements;  ///< by block, in elements
  /// The blocks that are somebody's; null: all are. Where a grid ends blocks are nobody's, and stay
  /// as they are.
  const std::vector<Neighborhood::Edge>* edges = nullptr;

  std::int64_t elements(int block) const { return irregular ? counts[block] : each; }
  bool is_somebodys(int block) const {
    return !edges || std::ranges::find(*edges, block, &Neighborhood::Edge::block) != edges->end();
  }
  MPI_Datatype type_of(int block) const { return types ? types[block] : type; }
  const TypeInfo& info_of(int block) const { return types ? *type_info(types[block]) : *info; }
  /// Bytes from `address`.
  std::ptrdiff_t offset(int block) const {
    if (types) return displacements[block];
    return (irregular ? displacements[block] : (block - first) * each) * info->extent;
  }
  /// Nothing is asked of the type of an empty block.
  std::size_t bytes(int block) const {
    return elements(block) == 0 ? 0 : static_cast<std::size_t>(elements(block)) * info_of(block).size;
  }
  std::size_t bytes() const;
  /// Whether the bytes of each block are one stretch, in order.
  bool is_contiguous() const;
};

/// What a rank gives and gets in an operation that moves blocks, between all ranks or between
/// neighbours. MPI_IN_PLACE is resolved: the input is then where it lies in the output, or the
/// output in the input.
struct BlockBuffers {
  BlockBuffer input, output;
};
BlockBuffers block_buffers(Collective collective, const Communicator& communicator, const Call& call);

/// Puts a buffer's data into consecutive bytes, block by block, or back. Returns MPI's error code.
int pack(const BlockBuffer& buffer, char* bytes);
int unpack(const char* bytes, const BlockBuffer& buffer);

/// Where its data lie, in bytes from its address, and where pack puts them. Throws as rows_of does
/// of a type.
RowsList rows_of(const BlockBuffer& buffer);
/// Where the first of its data lie; null where it has none.
const char* first_data(const BlockBuffer& buffer);

}  // namespace tutti::run
