// The entry points that are only counted, in the library for profiling: messages between two ranks.
// They go on to the next library as they came.

#include "run/interpose/any_points.hpp"

using tutti::interpose::size_of;
using tutti::run::Word;

#define TUTTI_COUNTED(mpi_name, arguments, sent) TUTTI_POINT(mpi_name, arguments, sent, false, 0)

TUTTI_COUNTED(MPI_Bsend, 6, size_of(b, c))
TUTTI_COUNTED(MPI_Isend, 7, size_of(b, c))
TUTTI_COUNTED(MPI_Ibsend, 7, size_of(b, c))
TUTTI_COUNTED(MPI_Issend, 7, size_of(b, c))
TUTTI_COUNTED(MPI_Irsend, 7, size_of(b, c))
TUTTI_COUNTED(MPI_Irecv, 7, 0)
TUTTI_COUNTED(MPI_Imrecv, 5, 0)
#if MPI_VERSION < 4
TUTTI_COUNTED(MPI_Start, 1, 0)
TUTTI_COUNTED(MPI_Startall, 2, 0)
#endif
