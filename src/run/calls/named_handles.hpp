#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "run/calls/inside.hpp"

namespace tutti::run {

/// How many calls of this process there are that last longer than their functions.
inline constinit std::atomic<int> lasting_calls{0};

/// The types and the operation that such a call names. The program may free them as long as this
/// lives: what it frees goes when no such call names it any more.
class NamedHandles {
 public:
  /// The arrays, of types by blocks, have to stay.
  NamedHandles(MPI_Datatype sendtype, MPI_Datatype recvtype, std::span<const MPI_Datatype> sendtypes,
               std::span<const MPI_Datatype> recvtypes, MPI_Op op);
  NamedHandles(const NamedHandles&) = delete;
  NamedHandles& operator=(const NamedHandles&) = delete;
  ~NamedHandles();

  bool names_type(MPI_Datatype type) const;
  bool names_op(MPI_Op op) const { return op == op_; }

 private:
  friend class Named;

  std::size_t place_ = 0;  // among all
  MPI_Datatype sendtype_, recvtype_;
  std::span<const MPI_Datatype> sendtypes_, recvtypes_;
  MPI_Op op_;
};

/// Take a handle that the program frees where such a call names it, to free it later. False: it is
/// the MPI library's affair.
/// @{
bool take_type(MPI_Datatype* type);
bool take_op(MPI_Op* op);
/// @}

/// Whether they may be asked: what comes from below a call of ours passes through.
inline bool may_be_named() {
  return lasting_calls.load(std::memory_order_relaxed) > 0 && !memo.inside;
}

}  // namespace tutti::run
