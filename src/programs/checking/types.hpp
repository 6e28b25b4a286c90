#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "programs/checking/support.hpp"

/// Datatypes that calls are checked with, made by every function of the standard that makes one.
namespace checking {

/// The place of a type of three MPI_INT in a row among all that `all_types` makes.
constexpr std::size_t three_ints = 2;

/// Commits a type and calls it by the function that made it.
inline Type made_by(const char* function, MPI_Datatype type) {
  return {function, type, true};
}

/// Types of Fortran's numbers of some precision are predefined: they are neither committed nor
/// freed.
inline Type of_fortran(const char* function, MPI_Datatype type) {
  return {function, type, false};
}

#ifndef SMPI_H
/// Types made by functions whose counts are of type int.
inline void add_types_of_small_counts(std::vector<Type>& types) {
  MPI_Datatype t, inner;
  MPI_Type_vector(3, 1, 2, MPI_SHORT, &inner);
  MPI_Type_create_resized(inner, -8, 24, &t);
  types.push_back(made_by("Type_create_resized to a negative lower bound", t));
  MPI_Type_create_hvector(2, 1, 12, inner, &t);
  types.push_back(made_by("Type_create_hvector", t));
  MPI_Type_dup(inner, &t);
  types.push_back(made_by("Type_dup", t));
  MPI_Type_free(&inner);

  const std::array lengths{1, 2}, places{3, 0};
  const std::array<MPI_Aint, 2> bytes{12, 0};
  MPI_Type_indexed(2, lengths.data(), places.data(), MPI_INT, &t);
  types.push_back(made_by("Type_indexed", t));
  MPI_Type_create_hindexed(2, lengths.data(), bytes.data(), MPI_INT, &t);
  types.push_back(made_by("Type_create_hindexed", t));
  MPI_Type_create_indexed_block(2, 2, places.data(), MPI_SHORT, &t);
  types.push_back(made_by("Type_create_indexed_block", t));
  MPI_Type_create_hindexed_block(2, 2, bytes.data(), MPI_SHORT, &t);
  types.push_back(made_by("Type_create_hindexed_block", t));
  const std::array members{MPI_FLOAT, MPI_INT};
  const std::array<MPI_Aint, 2> offsets{0, 8};
  MPI_Type_create_struct(2, lengths.data(), offsets.data(), members.data(), &t);
  types.push_back(made_by("Type_create_struct", t));

  const std::array sizes{3, 4}, parts{2, 2}, starts{1, 1};
  MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_INT, &t);
  types.push_back(made_by("Type_create_subarray", t));
  const std::array<int, 2> distributions{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const std::array<int, 2> arguments{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Type_create_darray(4, 1, 2, sizes.data(), distributions.data(), arguments.data(), parts.data(),
                         MPI_ORDER_FORTRAN, MPI_INT, &t);
  types.push_back(made_by("Type_create_darray", t));

  MPI_Type_create_f90_real(15, 307, &t);
  types.push_back(of_fortran("Type_create_f90_real", t));
  MPI_Type_contiguous(2, t, &t);
  types.push_back(made_by("Type_contiguous of Type_create_f90_real", t));
  MPI_Type_create_f90_integer(9, &t);
  types.push_back(of_fortran("Type_create_f90_integer", t));
  MPI_Type_create_f90_complex(15, 307, &t);
  types.push_back(of_fortran("Type_create_f90_complex", t));
}
#endif

#if MPI_VERSION >= 4
/// Types made by functions whose counts are of type MPI_Count, which only such functions describe.
inline void add_types_of_large_counts(std::vector<Type>& types) {
  MPI_Datatype t, inner;
  MPI_Type_contiguous_c(3, MPI_SHORT, &t);
  types.push_back(made_by("Type_contiguous_c", t));
  MPI_Type_vector_c(2, 2, 3, MPI_INT, &inner);
  MPI_Type_create_hvector_c(2, 1, 28, inner, &t);
  types.push_back(made_by("Type_create_hvector_c", t));
  MPI_Type_create_resized_c(inner, -4, 28, &t);
  types.push_back(made_by("Type_create_resized_c", t));
  types.push_back(made_by("Type_vector_c", inner));

  const std::array<MPI_Count, 2> lengths{1, 2}, places{3, 0}, bytes{12, 0}, offsets{0, 8};
  MPI_Type_indexed_c(2, lengths.data(), places.data(), MPI_INT, &t);
  types.push_back(made_by("Type_indexed_c", t));
  MPI_Type_create_hindexed_c(2, lengths.data(), bytes.data(), MPI_INT, &t);
  types.push_back(made_by("Type_create_hindexed_c", t));
  MPI_Type_create_indexed_block_c(2, 2, places.data(), MPI_SHORT, &t);
  types.push_back(made_by("Type_create_indexed_block_c", t));
  MPI_Type_create_hindexed_block_c(2, 2, bytes.data(), MPI_SHORT, &t);
  types.push_back(made_by("Type_create_hindexed_block_c", t));
  const std::array members{MPI_FLOAT, MPI_INT};
  MPI_Type_create_struct_c(2, lengths.data(), offsets.data(), members.data(), &t);
  types.push_back(made_by("Type_create_struct_c", t));

  const std::array<MPI_Count, 2> sizes{3, 4}, parts{2, 2}, starts{1, 1};
  MPI_Type_create_subarray_c(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C, MPI_INT, &t);
  types.push_back(made_by("Type_create_subarray_c", t));
  const std::array<int, 2> distributions{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const std::array<int, 2> arguments{MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  const std::array processes{2, 2};
  MPI_Type_create_darray_c(4, 1, 2, sizes.data(), distributions.data(), arguments.data(), processes.data(),
                           MPI_ORDER_FORTRAN, MPI_INT, &t);
  types.push_back(made_by("Type_create_darray_c", t));
}
#endif

/// All types; the same on all ranks. Those that were committed here are freed by the caller.
inline std::vector<Type> all_types() {
  std::vector<Type> types{{"int", MPI_INT, false}, {"char", MPI_CHAR, false}};
  MPI_Datatype t;
  MPI_Type_contiguous(3, MPI_INT, &t);
  types.push_back(made_by("Type_contiguous", t));
  MPI_Type_vector(2, 2, 3, MPI_INT, &t);
  types.push_back(made_by("Type_vector", t));
  // MPICH 4.0 can't scatter it: "message truncated".
  if (!runs_on("MPICH")) types.emplace_back("double_int", MPI_DOUBLE_INT, false);
#ifndef SMPI_H  // SimGrid 3.32 takes an element's extent for where its last block ends
  add_types_of_small_counts(types);
#endif
#if MPI_VERSION >= 4
  if (runs_on_mpi_4()) add_types_of_large_counts(types);
#endif
  return types;
}

}  // namespace checking
