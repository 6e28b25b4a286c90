// The entry points that are only counted, in the library for profiling: messages between two ranks,
// and accesses to files that return at once. They go on to the next library as they came.

#include "run/interpose/any_points.hpp"

using tutti::interpose::size_of;
using tutti::interpose::size_of_one;
using tutti::run::Word;

#define TUTTI_COUNTED(mpi_name, arguments, sent) TUTTI_POINT(mpi_name, arguments, sent, false, 0)

// With counts as int and as large ones.
#define TUTTI_COUNTED_MESSAGES(suffix, Count)                    \
  TUTTI_COUNTED(MPI_Bsend##suffix, 6, size_of<Count>(b, c))      \
  TUTTI_COUNTED(MPI_Isend##suffix, 7, size_of<Count>(b, c))      \
  TUTTI_COUNTED(MPI_Ibsend##suffix, 7, size_of<Count>(b, c))     \
  TUTTI_COUNTED(MPI_Issend##suffix, 7, size_of<Count>(b, c))     \
  TUTTI_COUNTED(MPI_Irsend##suffix, 7, size_of<Count>(b, c))     \
  TUTTI_COUNTED(MPI_Irecv##suffix, 7, 0)                         \
  TUTTI_COUNTED(MPI_Imrecv##suffix, 5, 0)                        \
  TUTTI_COUNTED(MPI_Isendrecv##suffix, 12, size_of<Count>(b, c)) \
  TUTTI_COUNTED(MPI_Isendrecv_replace##suffix, 9, size_of<Count>(b, c))

TUTTI_COUNTED_MESSAGES(, int)
TUTTI_COUNTED_MESSAGES(_c, MPI_Count)
// What leaves in pieces: their sizes are their request's.
TUTTI_COUNTED(MPI_Pready, 2, 0)
TUTTI_COUNTED(MPI_Pready_range, 3, 0)
TUTTI_COUNTED(MPI_Pready_list, 3, 0)
// Accesses, as the table of all functions has them.
#include "accesses.inc"
