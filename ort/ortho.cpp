// The functions of ortho.h: arguments are checked, handles looked up, and no exception leaves.

#include "ortho.h"

#include <algorithm>
#include <new>

#include "registry.hpp"

namespace {

using tutti::ort::check_selection;
using tutti::ort::find;
using tutti::ort::is_member;
using tutti::ort::pattern_of;
using tutti::ort::Structure;

std::span<const int> entries(const int* array, int count) {
  return {array, static_cast<std::size_t>(count)};
}

int check_mpi() {
  int is_initialized = 0, is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  return is_initialized && !is_finalized ? ORT_SUCCESS : ORT_ERR_MPI_STATE;
}

// body() gives an error's number.
template <class Body>
int guarded(const Body& body) {
  try {
    if (const int error = check_mpi()) return error;
    return body();
  } catch (const std::bad_alloc&) {
    return ORT_ERR_MEMORY;
  }
}

template <class Body>
int with(ORT_Structure ort, const Body& body) {
  return guarded([&] {
    Structure* structure = find(ort);
    return structure ? body(*structure) : ORT_ERR_STRUCTURE;
  });
}

// The structure has that many dimensions, and there is an array for them.
template <class Body>
int with(ORT_Structure ort, int dimensions, const void* array, const Body& body) {
  return with(ort, [&](Structure& structure) {
    if (dimensions != static_cast<int>(structure.sizes().size())) return int{ORT_ERR_DIMENSION};
    return array ? body(structure) : ORT_ERR_ARGUMENT;
  });
}

// The selection is one of the structure's, and there is room for what is asked about it.
// body(structure, selection)
template <class Body>
int with_selection(ORT_Structure ort, int dimensions, const int* dim_select, const void* result,
                   const Body& body) {
  return with(ort, dimensions, dim_select, [&](Structure& structure) {
    if (!result) return int{ORT_ERR_ARGUMENT};
    const auto selection = entries(dim_select, dimensions);
    if (const int error = check_selection(selection, structure.sizes())) return error;
    return body(structure, selection);
  });
}

bool takes_part(const Structure& structure, std::span<const int> selection) {
  return !structure.is_idle() && is_member(selection, structure.coordinates());
}

int check_grid(int dimension, const int* proc_dim, int processes) {
  if (dimension < 1 || dimension > ORT_MAX_DIMENSIONS) return ORT_ERR_DIMENSION;
  if (!proc_dim) return ORT_ERR_ARGUMENT;
  long long product = 1;
  for (const int size : entries(proc_dim, dimension)) {
    if (size < 1) return ORT_ERR_SIZES;
    product *= size;
    if (product > processes) return ORT_ERR_SIZES;
  }
  return ORT_SUCCESS;
}

// Nobody goes on to make a grid that others do not make: that would wait for ever.
int agree(int error, int dimension, const int* proc_dim, MPI_Comm comm) {
  const int asked = error ? 0 : dimension;  // what is no number of dimensions may have no negative
  int first[3] = {error, asked, -asked};
  if (MPI_Allreduce(MPI_IN_PLACE, first, 3, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS) return ORT_ERR_MPI;
  if (error) return error;
  if (first[0] != ORT_SUCCESS || first[1] != -first[2]) return ORT_ERR_MISMATCH;
  std::vector<int> extremes(proc_dim, proc_dim + dimension);
  for (int i = 0; i < dimension; ++i) extremes.push_back(-proc_dim[i]);
  if (MPI_Allreduce(MPI_IN_PLACE, extremes.data(), 2 * dimension, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS)
    return ORT_ERR_MPI;
  for (std::size_t i = 0; i < extremes.size() / 2; ++i)
    if (extremes[i] != -extremes[i + extremes.size() / 2]) return ORT_ERR_MISMATCH;
  return ORT_SUCCESS;
}

// Selects in two dimensions.
int section_in_plane(int first, int second, void* (*f)(void*, MPI_Comm), void* arg, ORT_Structure ort) {
  const int dim_select[2] = {first, second};
  return ORT_Section(2, dim_select, f, arg, ort);
}

// A negative position must not be taken for ORT_ALL or ORT_PARALLEL.
int position(int k) {
  return k < 0 ? int{ORT_NONE} : k;
}

}  // namespace

extern "C" {

int ORT_Init(int dimension, const int* proc_dim, MPI_Comm comm, ORT_Structure* ort) {
  return guarded([&] {
    int is_inter = 0, processes = 0;
    if (comm == MPI_COMM_NULL) return int{ORT_ERR_COMM};
    if (MPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return int{ORT_ERR_MPI};
    if (is_inter) return int{ORT_ERR_COMM};
    if (MPI_Comm_size(comm, &processes) != MPI_SUCCESS) return int{ORT_ERR_MPI};
    const int mine = ort ? check_grid(dimension, proc_dim, processes) : int{ORT_ERR_ARGUMENT};
    if (const int error = agree(mine, dimension, proc_dim, comm)) return error;
    std::unique_ptr<Structure> structure;
    if (const int error = Structure::make(entries(proc_dim, dimension), comm, structure)) return error;
    *ort = tutti::ort::enlist(std::move(structure));
    return int{ORT_SUCCESS};
  });
}

int ORT_Finalize(ORT_Structure ort) {
  return with(ort, [&](Structure& structure) {
    if (!structure.active.empty()) return int{ORT_ERR_IN_SECTION};
    tutti::ort::discharge(ort);
    return int{ORT_SUCCESS};
  });
}

int ORT_Section(int dimension, const int* dim_select, void* (*f)(void*, MPI_Comm), void* arg,
                ORT_Structure ort) {
  return with_selection(ort, dimension, dim_select, reinterpret_cast<const void*>(f),
                        [&](Structure& structure, std::span<const int> selection) {
                          if (!takes_part(structure, selection)) return int{ORT_SUCCESS};
                          MPI_Comm comm = MPI_COMM_NULL;
                          if (const int error = structure.communicator(pattern_of(selection), comm))
                            return error;
                          struct Execution {
                            Structure& structure;
                            Execution(Structure& s, std::span<const int> selection) : structure(s) {
                              s.active.emplace_back(selection.begin(), selection.end());
                            }
                            ~Execution() { structure.active.pop_back(); }
                          } execution(structure, selection);
                          f(arg, comm);
                          return int{ORT_SUCCESS};
                        });
}

int ORT_Vertical_section(int k, void* (*f)(void*, MPI_Comm), void* arg, ORT_Structure ort) {
  return section_in_plane(position(k), ORT_ALL, f, arg, ort);
}

int ORT_Vertall_section(void* (*f)(void*, MPI_Comm), void* arg, ORT_Structure ort) {
  return section_in_plane(ORT_PARALLEL, ORT_ALL, f, arg, ort);
}

int ORT_Horizontal_section(int k, void* (*f)(void*, MPI_Comm), void* arg, ORT_Structure ort) {
  return section_in_plane(ORT_ALL, position(k), f, arg, ort);
}

int ORT_Horall_section(void* (*f)(void*, MPI_Comm), void* arg, ORT_Structure ort) {
  return section_in_plane(ORT_ALL, ORT_PARALLEL, f, arg, ort);
}

int ORT_Group_ranks(int ndims, const int* dim_select, int* ranks, ORT_Structure ort) {
  return with_selection(ort, ndims, dim_select, ranks,
                        [&](Structure& structure, std::span<const int> selection) {
                          if (takes_part(structure, selection))
                            std::ranges::copy(structure.coordinates(), ranks);
                          else
                            std::fill_n(ranks, ndims, int{ORT_NONE});
                          return int{ORT_SUCCESS};
                        });
}

int ORT_Group_comm(int ndims, const int* dim_select, MPI_Comm* comm, ORT_Structure ort) {
  return with_selection(
      ort, ndims, dim_select, comm, [&](Structure& structure, std::span<const int> selection) {
        *comm = MPI_COMM_NULL;
        return takes_part(structure, selection) ? structure.communicator(pattern_of(selection), *comm)
                                                : int{ORT_SUCCESS};
      });
}

int ORT_Group_size(int ndims, const int* dim_select, int* size, ORT_Structure ort) {
  return with_selection(ort, ndims, dim_select, size,
                        [&](Structure& structure, std::span<const int> selection) {
                          *size = 1;
                          for (std::size_t i = 0; i < selection.size(); ++i)
                            if (selection[i] == ORT_ALL) *size *= structure.sizes()[i];
                          return int{ORT_SUCCESS};
                        });
}

int ORT_Group_count(int ndims, const int* dim_select, int* count, ORT_Structure ort) {
  return with_selection(ort, ndims, dim_select, count,
                        [&](Structure& structure, std::span<const int> selection) {
                          *count = 1;
                          for (std::size_t i = 0; i < selection.size(); ++i)
                            if (selection[i] == ORT_PARALLEL) *count *= structure.sizes()[i];
                          return int{ORT_SUCCESS};
                        });
}

int ORT_Active(int ndims, int* dim_select, ORT_Structure ort) {
  return with(ort, ndims, dim_select, [&](Structure& structure) {
    if (structure.active.empty()) return int{ORT_ERR_NO_SECTION};
    std::ranges::copy(structure.active.back(), dim_select);
    return int{ORT_SUCCESS};
  });
}

int ORT_Dimensions(int* ndims, ORT_Structure ort) {
  return with(ort, [&](Structure& structure) {
    if (!ndims) return int{ORT_ERR_ARGUMENT};
    *ndims = static_cast<int>(structure.sizes().size());
    return int{ORT_SUCCESS};
  });
}

int ORT_Sizes(int ndims, int* sizes, ORT_Structure ort) {
  return with(ort, ndims, sizes, [&](Structure& structure) {
    std::ranges::copy(structure.sizes(), sizes);
    return int{ORT_SUCCESS};
  });
}

int ORT_Coordinates(int ndims, int* coordinates, ORT_Structure ort) {
  return with(ort, ndims, coordinates, [&](Structure& structure) {
    if (structure.is_idle()) return int{ORT_ERR_IDLE};
    std::ranges::copy(structure.coordinates(), coordinates);
    return int{ORT_SUCCESS};
  });
}

int ORT_Rank(int ndims, const int* coordinates, int* rank, ORT_Structure ort) {
  return with(ort, ndims, coordinates, [&](Structure& structure) {
    if (!rank) return int{ORT_ERR_ARGUMENT};
    const auto position = entries(coordinates, ndims);
    for (std::size_t i = 0; i < position.size(); ++i)
      if (position[i] < 0 || position[i] >= structure.sizes()[i]) return int{ORT_ERR_COORDINATES};
    *rank = structure.rank_at(position);
    return int{ORT_SUCCESS};
  });
}

int ORT_Is_idle(int* idle, ORT_Structure ort) {
  return with(ort, [&](Structure& structure) {
    if (!idle) return int{ORT_ERR_ARGUMENT};
    *idle = structure.is_idle();
    return int{ORT_SUCCESS};
  });
}

}  // extern "C"
