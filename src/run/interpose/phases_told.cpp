// The entry points of MPI_Pcontrol, by which programs tell profilers of their phases: C's, and
// those by which Fortran's compilers call it, because the MPI library's own hands on no names.

#undef TUTTI_COUNTS  // no call that profiles tell of
#include "run/interpose/any_points.hpp"
#include "run/mpi/loaded_mpi.hpp"
#include "run/process/told_phases.hpp"

using namespace tutti::run;
using tutti::run::Word;

TUTTI_POINT(MPI_Pcontrol, 2, 0, !memo.inside && tutti::interpose::is_ours(), (told_of_phase(a, b), pass()))

#ifndef TUTTI_LINKED_IN

namespace {

// The level is where the first argument points to; a text's length comes behind all others.
using FortranPcontrol = void(const int* level, const void* name, std::size_t length);

void passed_from_fortran(const char* function, const int* level, const void* name, std::size_t length) {
  if (!memo.inside && tutti::interpose::is_ours()) told_of_phase(*level, name, length);
  const Inside inside;  // it calls C's function
  if (void* const next = next_function(function))
    reinterpret_cast<FortranPcontrol*>(next)(level, name, length);
}

}  // namespace

#define TUTTI_FORTRAN(function)                                                                       \
  extern "C" __attribute__((visibility("default"))) void function(const int* level, const void* name, \
                                                                  std::size_t length) {               \
    passed_from_fortran(#function, level, name, length);                                              \
  }
TUTTI_FORTRAN(mpi_pcontrol)
TUTTI_FORTRAN(mpi_pcontrol_)
TUTTI_FORTRAN(mpi_pcontrol__)
TUTTI_FORTRAN(MPI_PCONTROL)

#endif
