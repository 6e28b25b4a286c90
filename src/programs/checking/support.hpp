#pragma once

#include <mpi.h>

#include <any>
#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// What calls are compared with, and on what.
namespace checking {

using Bytes = std::vector<unsigned char>;

/// Communicators, each with the one that is like it.
inline std::vector<std::pair<MPI_Comm, MPI_Comm>> all_untouched;

/// A communicator like another on which all calls are nonblocking: Tutti leaves those to the MPI
/// library until it has seen a blocking one. Made when it is first asked for, which is collective.
inline MPI_Comm untouched(MPI_Comm comm) {
  for (const auto& [of, made] : all_untouched)
    if (of == comm) return made;
  MPI_Comm made;
  MPI_Comm_dup(comm, &made);
  all_untouched.emplace_back(comm, made);
  return made;
}

/// Frees them all, before those that they are like: handles may be used again. Collective.
inline void free_untouched() {
  for (auto& [of, made] : all_untouched) MPI_Comm_free(&made);
  all_untouched.clear();
}

/// A collective that Tutti does not touch: the nonblocking one of the MPI library, or in a
/// simulation, where those are not reliable, the PMPI entry point.
template <typename Blocking, typename Nonblocking>
auto oracle([[maybe_unused]] Blocking blocking, [[maybe_unused]] Nonblocking nonblocking) {
#ifdef SMPI_H
  return blocking;
#else
  return [nonblocking](auto... arguments) {
    auto all = std::tuple(arguments...);
    MPI_Comm& comm = std::get<sizeof...(arguments) - 1>(all);
    comm = untouched(comm);
    MPI_Request request;
    std::apply([&](auto... words) { nonblocking(words..., &request); }, all);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
#endif
}

#ifdef SMPI_H
#define TUTTI_ORACLE(name, iname) checking::oracle(PMPI_##name, nullptr)
#else
#define TUTTI_ORACLE(name, iname) checking::oracle(PMPI_##name, MPI_##iname)
#endif

/// Pointers to handles: no arrays of numbers, whatever a handle is.
/// @{
struct RequestPlace {
  MPI_Request* place;
  operator MPI_Request*() const { return place; }
};
struct TypeList {
  const MPI_Datatype* types;
  operator const MPI_Datatype*() const { return types; }
};
/// @}

/// Whether the MPI library that runs has that name, whatever header the program was compiled with.
inline bool runs_on(const std::string& name) {
  static const std::string version = [] {
    std::vector<char> text(1 << 14);
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return std::string(text.data());
  }();
  return version.find(name) != version.npos;
}

/// Whether the MPI library that runs has what MPI 4 added, whatever header the program was compiled
/// with.
inline bool runs_on_mpi_4() {
  int version = 0, subversion = 0;
  MPI_Get_version(&version, &subversion);
  return version >= 4;
}

/// Arrays of 64 bits that large-count calls are made with, for as long as these may be under way.
using Widened = std::deque<std::any>;

/// An array of int as an array of whatever type of 64 bits a large-count call takes: MPI_Count and
/// MPI_Aint may be `long` and `long long`.
class WidenedArray {
 public:
  WidenedArray(Widened& arrays, const int* numbers) : arrays_(arrays), numbers_(numbers) {}
  template <typename Number>
  requires(std::is_integral_v<Number> && sizeof(Number) == sizeof(std::int64_t)) operator const Number*()
      const {
    constexpr int ranks = 64;  // as many as there are at most
    arrays_.push_back(std::vector<Number>(numbers_, numbers_ + ranks));
    return std::any_cast<std::vector<Number>&>(arrays_.back()).data();
  }

 private:
  Widened& arrays_;
  const int* numbers_;
};

/// The large-count entry point instead of the usual one: arrays of int become arrays of 64 bits.
template <typename Large>
auto widened(Large large) {
  return [large]([[maybe_unused]] Widened& arrays, auto... arguments) {
    const auto widen = [&](auto argument) {
#if MPI_VERSION >= 4
      using Argument = decltype(argument);
      if constexpr (std::is_pointer_v<Argument> && std::is_convertible_v<Argument, const int*>)
        return WidenedArray(arrays, argument);
      else
#endif
        return argument;
    };
    return large(widen(arguments)...);
  };
}

/// How a call is made.
enum class Mode { blocking, nonblocking, persistent };

/// The entry points of a collective that are tested.
template <typename Usual, typename Large, typename Nonblocking, typename LargeNonblocking,
          typename Persistent, typename LargePersistent>
struct Tested {
  Usual usual;
  Large large;
  Nonblocking nonblocking;
  LargeNonblocking large_nonblocking;
  Persistent persistent;
  LargePersistent large_persistent;
};
template <typename... Entries>
Tested(Entries...) -> Tested<Entries...>;

#if MPI_VERSION >= 4
#define TUTTI_LARGE(function) checking::widened(function##_c)
#else
#define TUTTI_LARGE(function) checking::widened(function)
#endif
#ifdef TUTTI_PERSISTENT_COLLECTIVES
#define TUTTI_PERSISTENT(name, large) MPI_##name##_init, large(MPI_##name##_init)
#else
#define TUTTI_PERSISTENT(name, large) nullptr, nullptr
#endif
#define TUTTI_TESTED(name, iname)                                               \
  checking::Tested {                                                            \
    MPI_##name, TUTTI_LARGE(MPI_##name), MPI_##iname, TUTTI_LARGE(MPI_##iname), \
        TUTTI_PERSISTENT(name, TUTTI_LARGE)                                     \
  }

/// The entry points of a collective without counts that are tested.
#define TUTTI_TESTED_SMALL(name, iname)                                                     \
  checking::Tested {                                                                        \
    MPI_##name, checking::widened(MPI_##name), MPI_##iname, checking::widened(MPI_##iname), \
        TUTTI_PERSISTENT(name, checking::widened)                                           \
  }

/// Counts or displacements, one a rank, with room behind for `widened`.
using Numbers = std::vector<int>;
inline Numbers numbers(int ranks) {
  Numbers list;
  list.reserve(128);
  list.resize(static_cast<std::size_t>(ranks) + 64);
  return list;
}

/// A datatype.
struct Type {
  std::string name;
  MPI_Datatype handle;
  bool owned;
  MPI_Aint lb, extent, true_lb, true_extent;

  Type(std::string type_name, MPI_Datatype type, bool own)
      : name(std::move(type_name)), handle(type), owned(own) {
    if (own) MPI_Type_commit(&handle);
    MPI_Type_get_extent(handle, &lb, &extent);
    MPI_Type_get_true_extent(handle, &true_lb, &true_extent);
  }
  std::size_t span(std::size_t n) const {
    return n == 0 ? 0 : static_cast<std::size_t>(static_cast<MPI_Aint>(n - 1) * extent + true_extent);
  }
};

/// Random memory for n elements with canaries around, and the address MPI is given.
struct Memory {
  static constexpr std::size_t margin = 64;
  Bytes bytes;
  std::ptrdiff_t shift;
  Memory(const Type& type, std::size_t n, unsigned seed)
      : bytes(type.span(n) + 2 * margin), shift(std::ptrdiff_t{margin} - type.true_lb) {
    std::mt19937 random(seed);
    for (auto& b : bytes) b = static_cast<unsigned char>(random());
  }
  void* address() { return bytes.data() + shift; }
};

/// A reduction.
struct Op {
  std::string name;
  MPI_Op handle;
};

/// 2x2 matrices of small numbers modulo a prime: products do not commute.
inline void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(*type, &lb, &extent);
  for (int i = 0; i < *length; ++i) {
    const auto* a = reinterpret_cast<unsigned*>(static_cast<char*>(in) + i * extent);
    auto* b = reinterpret_cast<unsigned*>(static_cast<char*>(inout) + i * extent);
    const unsigned p = 9973;
    const unsigned product[4] = {(a[0] % p * (b[0] % p) + a[1] % p * (b[2] % p)) % p,
                                 (a[0] % p * (b[1] % p) + a[1] % p * (b[3] % p)) % p,
                                 (a[2] % p * (b[0] % p) + a[3] % p * (b[2] % p)) % p,
                                 (a[2] % p * (b[1] % p) + a[3] % p * (b[3] % p)) % p};
    std::memcpy(b, product, sizeof product);
  }
}

inline void xor_words(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_get_extent(*type, &lb, &extent);
  for (int i = 0; i < *length; ++i)
    for (int w = 0; w < 4; ++w)
      reinterpret_cast<unsigned*>(static_cast<char*>(inout) + i * extent)[w] ^=
          reinterpret_cast<unsigned*>(static_cast<char*>(in) + i * extent)[w];
}

}  // namespace checking
