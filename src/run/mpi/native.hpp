#pragma once

#include <atomic>
#include <type_traits>

#include "run/mpi/signature.hpp"

/// Both expand to TUTTI_ENTRY(collective, mode, whether counts are large, MPI's name, arguments of
/// the blocking function) for each function that MPI has: of MPI 3, which every library has, and of
/// MPI 4, which only the library that runs can tell of.
#define TUTTI_MPI_3_FORMS(name, mpi_name, nonblocking_name, arguments, signature) \
  TUTTI_ENTRY(name, blocking, false, mpi_name, arguments)                         \
  TUTTI_ENTRY(name, nonblocking, false, nonblocking_name, arguments)
#define TUTTI_PERSISTENT_FORM(name, mpi_name, nonblocking_name, arguments, signature) \
  TUTTI_ENTRY(name, persistent, false, mpi_name##_init, arguments)
#define TUTTI_LARGE_FORMS(name, mpi_name, nonblocking_name, arguments, signature) \
  TUTTI_ENTRY(name, blocking, true, mpi_name##_c, arguments)                      \
  TUTTI_ENTRY(name, nonblocking, true, nonblocking_name##_c, arguments)           \
  TUTTI_ENTRY(name, persistent, true, mpi_name##_init_c, arguments)
#define TUTTI_COLLECTIVES_OF_MPI_3 TUTTI_COLLECTIVES(TUTTI_MPI_3_FORMS)
#define TUTTI_COLLECTIVES_OF_MPI_4         \
  TUTTI_COLLECTIVES(TUTTI_PERSISTENT_FORM) \
  TUTTI_COLLECTIVES_WITH_COUNTS(TUTTI_LARGE_FORMS)

namespace tutti::run {

/// The MPI library's own function of such a name, PMPI's, past anything that Tutti interposes; null
/// where the library that runs has none. Every way of running Tutti says in one place how it is
/// found: preloaded, in the next library that has it; linked in, among all.
void* native_function(const char* name);

/// What a parameter of a function is in its form with large counts, if it belongs to that member of
/// a call.
template <auto member, typename Parameter>
struct WithLargeCounts : std::type_identity<Parameter> {};
template <>
struct WithLargeCounts<&Call::sendcount, int> : std::type_identity<MPI_Count> {};
template <>
struct WithLargeCounts<&Call::recvcount, int> : std::type_identity<MPI_Count> {};
template <>
struct WithLargeCounts<&Call::sendcounts, const int*> : std::type_identity<const MPI_Count*> {};
template <>
struct WithLargeCounts<&Call::recvcounts, const int*> : std::type_identity<const MPI_Count*> {};
template <>
struct WithLargeCounts<&Call::senddispls, const int*> : std::type_identity<const MPI_Aint*> {};
template <>
struct WithLargeCounts<&Call::recvdispls, const int*> : std::type_identity<const MPI_Aint*> {};

/// The type of a function in another form than the blocking one with small counts, as the standard
/// has them follow from that: headers older than the library that runs do not declare them all.
template <Mode mode, bool large, auto... members, typename... Parameters>
constexpr auto form_of(int (*)(Parameters...), Signature<members...>) {
  constexpr auto function = []<typename... Of, typename... More>(std::type_identity<int (*)(Of...)>,
                                                                 std::type_identity<More>...) {
    return std::type_identity<int (*)(Of..., More...)>();
  };
  constexpr auto of_counts = [] {
    if constexpr (large)
      return std::type_identity<int (*)(typename WithLargeCounts<members, Parameters>::type...)>();
    else
      return std::type_identity<int (*)(Parameters...)>();
  }();
  if constexpr (mode == Mode::blocking)
    return of_counts;
  else if constexpr (mode == Mode::nonblocking)
    return function(of_counts, std::type_identity<MPI_Request*>());
  else
    return function(of_counts, std::type_identity<MPI_Info>(), std::type_identity<MPI_Request*>());
}

template <Collective>
inline constexpr auto blocking_function = nullptr;
#define TUTTI_BLOCKING(name, mpi_name, ...) \
  template <>                               \
  inline constexpr auto blocking_function<Collective::name> = static_cast<decltype(&P##mpi_name)>(nullptr);
TUTTI_COLLECTIVES(TUTTI_BLOCKING)
#undef TUTTI_BLOCKING

// A signature names no member for the communicator.
template <Collective collective, Mode mode, bool large>
using NativeFunction = typename decltype(form_of<mode, large>(
    blocking_function<collective>, signature<collective> + Signature<nullptr>()))::type;

/// A function of the MPI library itself, which is looked up when it is first asked for: a program
/// that starts would wait for all of them together, and needs few.
template <typename Function>
class NextNative {
 public:
  constexpr explicit NextNative(const char* name) : name_(name) {}
  /// Null where the library that runs has none of that name.
  Function get() const {
    void* function = found_.load(std::memory_order_relaxed);
    if (__builtin_expect(!function, 0)) found_ = function = native_function(name_);
    return reinterpret_cast<Function>(function);
  }
  operator Function() const { return get(); }

 private:
  const char* name_;
  mutable std::atomic<void*> found_{nullptr};
};

/// The collectives of the MPI library itself.
struct NativeCollectives {
#define TUTTI_ENTRY(collective, mode, large, mpi_name, arguments) \
  NextNative<NativeFunction<Collective::collective, Mode::mode, large>> mpi_name{"P" #mpi_name};
  TUTTI_COLLECTIVES_OF_MPI_3
  TUTTI_COLLECTIVES_OF_MPI_4
#undef TUTTI_ENTRY
};
inline constinit const NativeCollectives native_collectives;
inline const NativeCollectives& native() {
  return native_collectives;
}

/// Where NativeCollectives has a function; null if MPI has no such function.
template <Collective, Mode, bool large>
inline constexpr auto native_place = nullptr;
#define TUTTI_ENTRY(collective, mode, large, mpi_name, arguments)                 \
  template <>                                                                     \
  inline constexpr auto native_place<Collective::collective, Mode::mode, large> = \
      &NativeCollectives::mpi_name;
TUTTI_COLLECTIVES_OF_MPI_3
TUTTI_COLLECTIVES_OF_MPI_4
#undef TUTTI_ENTRY

/// Lets the MPI library itself carry a call out. Returns MPI's error code.
int run_natively(Collective collective, MPI_Comm comm, const Call& call);

/// Lets the MPI library start a call's nonblocking form. Returns MPI's error code.
int start_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Request* request);

/// Lets the MPI library make a request for a call's persistent form. Returns MPI's error code.
int init_natively(Collective collective, MPI_Comm comm, const Call& call, MPI_Info info,
                  MPI_Request* request);

}  // namespace tutti::run
