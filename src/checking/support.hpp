#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

/// What calls are compared with, and on what.
namespace checking {

using Bytes = std::vector<unsigned char>;

/// A collective that Tutti does not touch: the nonblocking one of the MPI library, or in a simulation, where
/// those are not reliable, the PMPI entry point.
template <typename Blocking, typename Nonblocking>
auto oracle([[maybe_unused]] Blocking blocking, [[maybe_unused]] Nonblocking nonblocking) {
#ifdef SMPI_H
  return blocking;
#else
  return [nonblocking](auto... arguments) {
    MPI_Request request;
    nonblocking(arguments..., &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
#endif
}

#ifdef SMPI_H
#define TUTTI_ORACLE(name, iname) checking::oracle(PMPI_##name, nullptr)
#else
#define TUTTI_ORACLE(name, iname) checking::oracle(PMPI_##name, MPI_##iname)
#endif

#if MPI_VERSION >= 4
/// The large-count entry point instead of the usual one: arrays of int become arrays of 64 bits.
template <typename Large>
auto widened(Large large) {
  return [large](auto... arguments) {
    std::deque<std::vector<MPI_Count>> arrays;
    const auto widen = [&arrays](auto argument) {
      if constexpr (std::is_convertible_v<decltype(argument), const int*>) {
        int ranks = 64;  // as many as there are at most
        return static_cast<const MPI_Count*>(arrays.emplace_back(argument, argument + ranks).data());
      } else {
        return argument;
      }
    };
    return large(widen(arguments)...);
  };
}
#define TUTTI_TESTED(name) MPI_##name, checking::widened(MPI_##name##_c)
#else
#define TUTTI_TESTED(name) MPI_##name, MPI_##name
#endif

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
