#pragma once

#include <mpi.h>

#include <cstdint>

#include "core/schedule/schedule.hpp"

namespace tutti::run {

/// An array of counts or displacements as the caller has it, one for each rank: of int, or in
/// large-count calls of MPI_Count or MPI_Aint.
class Numbers {
 public:
  /// This is no constant expression: GCC would clear a Call that is one as a whole before its
  /// members are set, which takes 8 ns.
  Numbers() {}
  explicit Numbers(const int* values) : values_(values) {}
  Numbers(const void* values, bool large) : values_(values), large_(large) {}

  bool missing() const { return !values_; }
  /// 0 where the array is missing, as it may be where there is nothing to count.
  std::int64_t operator[](int rank) const {
    if (missing()) return 0;
    return large_ ? static_cast<const std::int64_t*>(values_)[rank] : static_cast<const int*>(values_)[rank];
  }
  /// An array at another address, with numbers of `bytes_each()` bytes, too.
  Numbers at(const void* values) const { return {values, large_}; }
  std::size_t bytes_each() const { return large_ ? sizeof(std::int64_t) : sizeof(int); }
  const void* values() const { return values_; }
  static_assert(sizeof(MPI_Aint) == sizeof(std::int64_t) && sizeof(MPI_Count) == sizeof(std::int64_t));

 private:
  const void* values_ = nullptr;
  bool large_ = false;
};

/// A buffer of a program's, to count its bytes; what it only gives is never written.
inline char* bytes_of(const void* buffer) {
  return const_cast<char*>(static_cast<const char*>(buffer));
}

/// The arguments of one call, under MPI's names. A call has those that its operation has; where MPI
/// has one buffer, count and datatype (bcast, reductions) they are `recvbuf`, `recvcount` or
/// `recvcounts`, and
/// `recvtype`.
struct Call {
  const void* sendbuf = nullptr;  ///< or MPI_IN_PLACE
  std::int64_t sendcount = 0;
  Numbers sendcounts, senddispls;
  MPI_Datatype sendtype = MPI_DATATYPE_NULL;
  const MPI_Datatype* sendtypes = nullptr;  ///< of each block, where displacements are in bytes
  void* recvbuf = nullptr;                  ///< or MPI_IN_PLACE (scatter, scatterv)
  std::int64_t recvcount = 0;
  Numbers recvcounts, recvdispls;
  MPI_Datatype recvtype = MPI_DATATYPE_NULL;
  const MPI_Datatype* recvtypes = nullptr;
  MPI_Op op = MPI_OP_NULL;
  Rank root = 0;
  bool large = false;  ///< made through a large-count entry point
};

}  // namespace tutti::run
