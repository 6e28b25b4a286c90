#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::run {

/// One side of a copy of rows by CUDA's driver library: bytes and rows to leave out, the kind of
/// memory and its address by kind, and the bytes from one row to the next.
struct CudaPlace {
  std::size_t x, y;
  unsigned kind;  ///< cuda_host or cuda_device
  const void* host;
  std::uint64_t device;
  void* array;
  std::size_t pitch;
};
inline constexpr unsigned cuda_host = 1, cuda_device = 2;

/// A copy of `count` rows of `width` bytes.
/// Source: CUDA driver API, CUDA_MEMCPY2D_v2, which this has to be bit by bit.
struct CudaRows {
  CudaPlace from, into;
  std::size_t width, count;
};

}  // namespace tutti::run
