#pragma once

#include <mpi.h>

namespace tutti::interpose {

/// Around the MPI library's initialization, the first time: lets the launcher know, before, that
/// this rank has Tutti, and asks it, after, which ranks have not. Where the launcher speaks PMI-1
/// as Hydra does, which starts MPICH's ranks; of PMIx the MPI library itself gives the occasion.
/// @{
#ifdef TUTTI_LINKED_IN
inline void announce_presence() {}
inline void ask_for_presence() {}
#else
void announce_presence();
void ask_for_presence();
#endif
/// @}

/// Initializes MPI by `pass` with that around. Returns MPI's error code.
template <typename Pass>
int present(Pass&& pass) {
  announce_presence();
  const int error = pass();
  if (error == MPI_SUCCESS) ask_for_presence();
  return error;
}

}  // namespace tutti::interpose
