#include "run/mpi/reduction.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "run/mpi/self_comm.hpp"

namespace tutti::run {
namespace {

// Lets MPI combine elements of zeros, of this process alone: there errors are returned.
bool try_out(MPI_Op op, MPI_Datatype type, const TypeInfo& info) {
  const auto room = static_cast<std::size_t>(std::max<std::ptrdiff_t>(info.true_extent, 1));
  std::vector<std::max_align_t> in(room / sizeof(std::max_align_t) + 1), out = in;
  return native().MPI_Allreduce(reinterpret_cast<char*>(in.data()) - info.true_lb,
                                reinterpret_cast<char*>(out.data()) - info.true_lb, 1, type, op,
                                self_comm::get()) == MPI_SUCCESS;
}

// Predefined operations never go away, and ids are not given twice: what was found out stays true.
bool is_valid(MPI_Op op, MPI_Datatype type, const TypeInfo& info) {
  static std::mutex mutex;
  static auto& known = *new std::map<std::pair<MPI_Op, std::uint64_t>, bool>;
  const std::lock_guard lock(mutex);
  const auto [entry, added] = known.try_emplace({op, info.id}, false);
  if (added) entry->second = info.predefined && try_out(op, type, info);
  return entry->second;
}

// Whether MPI takes the operation: of this process alone, where errors are returned, while other
// functions would tell the program's handler. Simulations are of programs that are right.
bool is_handle([[maybe_unused]] MPI_Op op) {
#ifdef TUTTI_SIMULATED
  return true;
#else
  return native().MPI_Allreduce(MPI_IN_PLACE, nullptr, 0, MPI_INT, op, self_comm::get()) == MPI_SUCCESS;
#endif
}

// Whether elements are whole numbers, truth values or bits. Unknown types are taken for the others.
bool is_integral(MPI_Datatype type) {
  for (const MPI_Datatype known :
       {MPI_CHAR,     MPI_SIGNED_CHAR,    MPI_UNSIGNED_CHAR, MPI_BYTE,
        MPI_SHORT,    MPI_UNSIGNED_SHORT, MPI_INT,           MPI_UNSIGNED,
        MPI_LONG,     MPI_LONG_LONG,      MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
        MPI_INT8_T,   MPI_INT16_T,        MPI_INT32_T,       MPI_INT64_T,
        MPI_UINT8_T,  MPI_UINT16_T,       MPI_UINT32_T,      MPI_UINT64_T,
        MPI_AINT,     MPI_OFFSET,         MPI_COUNT,         MPI_C_BOOL,
        MPI_CXX_BOOL, MPI_WCHAR,          MPI_2INT,          MPI_SHORT_INT,
        MPI_LONG_INT, MPI_INTEGER,        MPI_LOGICAL,       MPI_2INTEGER})
    if (type == known) return true;
  return false;
}

}  // namespace

bool is_predefined(MPI_Op op) {
  for (const MPI_Op known : {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR,
                             MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP})
    if (op == known) return true;
  return false;
}

Reduction find_reduction(MPI_Op op, MPI_Datatype type, const TypeInfo& info) {
  if (op == MPI_OP_NULL) return {false, true, false, true};
  if (is_predefined(op)) {
    last_reduction = {op, info.id, {is_valid(op, type, info), true, is_integral(type), true}};
    return last_reduction.reduction;
  }
  // The user's, whose handle may mean another operation next time, or none.
  int commutative = 0;
  const bool exists = is_handle(op) && PMPI_Op_commutative(op, &commutative) == MPI_SUCCESS;
  return {exists, commutative != 0, false, false};
}

}  // namespace tutti::run
