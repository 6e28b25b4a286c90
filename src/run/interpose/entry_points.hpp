#pragma once

#include <mpi.h>

#include "run/interpose/abi.hpp"
#include "run/mpi/words.hpp"

/// A program that Tutti is part of has the functions that its MPI's header declares; a preloaded
/// Tutti all of the standard's, for the library that runs may be newer than the header.
#if !defined(TUTTI_LINKED_IN) || MPI_VERSION >= 4
#define TUTTI_DEFINES_MPI_4
#endif

/// Begins the definition of the entry point of such a name and, where Tutti is preloaded, of PMPI's
/// as well, because Fortran bindings call either. Where Tutti is linked into a program, the
/// program's calls are bound to it at once: SimGrid loads programs behind its own library, whose
/// functions a look-up by name finds first (since 4.1, which loads without RTLD_DEEPBIND).
#ifdef TUTTI_LINKED_IN
#define TUTTI_SEEN "protected"
#define TUTTI_SAME_AS(mpi_name, parameters)
#else
#define TUTTI_SEEN "default"
#define TUTTI_SAME_AS(mpi_name, parameters)        \
  extern "C" __attribute__((visibility("default"), \
                            alias(#mpi_name))) int tutti_P##mpi_name parameters __asm__("P" #mpi_name);
#endif
#define TUTTI_DEFINE(mpi_name, parameters)                                                               \
  extern "C" __attribute__((visibility(TUTTI_SEEN))) int tutti_##mpi_name parameters __asm__(#mpi_name); \
  TUTTI_SAME_AS(mpi_name, parameters)                                                                    \
  int tutti_##mpi_name parameters
