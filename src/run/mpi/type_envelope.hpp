#pragma once

#include <vector>

#include "run/mpi/handles.hpp"

namespace tutti::run {

/// How a datatype was made (MPI_Type_get_envelope), and from how many numbers and types.
struct TypeEnvelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;

  /// Returns MPI's error code.
  int read(MPI_Datatype type);

  /// Named by the standard, or Fortran's of some precision, which may not be freed either.
  bool is_predefined() const {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
  }
};

bool is_predefined_type(MPI_Datatype type);

/// The numbers and types that a datatype which is not predefined was made from
/// (MPI_Type_get_contents). The types live as long as this does.
struct TypeContents {
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;  ///< of types made with large counts
  std::vector<MPI_Datatype> types;

  TypeContents() = default;
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;
  ~TypeContents();

  /// Returns MPI's error code.
  int read(MPI_Datatype type, const TypeEnvelope& envelope);
};

}  // namespace tutti::run
