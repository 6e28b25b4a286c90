#pragma once

#include "run/mpi/signature.hpp"

/// TUTTI_NATIVE_COLLECTIVES expands to TUTTI_ENTRY(collective, mode, whether counts are large,
/// MPI's name, arguments of the blocking function) for each function that the MPI library has.
#if MPI_VERSION >= 4
#define TUTTI_SINCE_MPI_4(...) __VA_ARGS__
#else
#define TUTTI_SINCE_MPI_4(...)
#endif
#define TUTTI_FORMS(name, mpi_name, nonblocking_name, arguments, large, suffix) \
  TUTTI_ENTRY(name, blocking, large, mpi_name##suffix, arguments)               \
  TUTTI_ENTRY(name, nonblocking, large, nonblocking_name##suffix, arguments)    \
  TUTTI_SINCE_MPI_4(TUTTI_ENTRY(name, persistent, large, mpi_name##_init##suffix, arguments))
#define TUTTI_SMALL_FORMS(name, mpi_name, nonblocking_name, arguments, signature) \
  TUTTI_FORMS(name, mpi_name, nonblocking_name, arguments, false, )
#define TUTTI_LARGE_FORMS(name, mpi_name, nonblocking_name, arguments, signature) \
  TUTTI_FORMS(name, mpi_name, nonblocking_name, arguments, true, _c)
#define TUTTI_NATIVE_COLLECTIVES       \
  TUTTI_COLLECTIVES(TUTTI_SMALL_FORMS) \
  TUTTI_SINCE_MPI_4(TUTTI_COLLECTIVES_WITH_COUNTS(TUTTI_LARGE_FORMS))

namespace tutti::run {

/// The collectives of the MPI library itself, past anything that Tutti interposes. Every way of
/// running Tutti says in one place what they are: preloaded, the next library's; linked in, the
/// PMPI entry points.
struct NativeCollectives {
#define TUTTI_ENTRY(collective, mode, large, mpi_name, arguments) decltype(&P##mpi_name) mpi_name;
  TUTTI_NATIVE_COLLECTIVES
#undef TUTTI_ENTRY
};
const NativeCollectives& native();

/// Where NativeCollectives has a function; null if the MPI library has no such function.
template <Collective, Mode, bool large>
inline constexpr auto native_place = nullptr;
#define TUTTI_ENTRY(collective, mode, large, mpi_name, arguments)                 \
  template <>                                                                     \
  inline constexpr auto native_place<Collective::collective, Mode::mode, large> = \
      &NativeCollectives::mpi_name;
TUTTI_NATIVE_COLLECTIVES
#undef TUTTI_ENTRY

/// Lets the MPI library itself carry a call out. Returns MPI's error code.
int run_natively(Collective collective, MPI_Comm comm, const Call& call);

/// Lets the MPI library start a call's nonblocking form. Returns MPI's error code.
int start_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Request* request);

/// Lets the MPI library make a request for a call's persistent form, where it has one. Returns
/// MPI's error code.
int init_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Info info,
                  MPI_Request* request);

}  // namespace tutti::run
