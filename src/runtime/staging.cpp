#include "runtime/staging.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

namespace tutti::runtime {
namespace {

// MPI_Pack counts bytes in an int: goes through the elements in pieces that it can count.
template <typename Piece>
int in_pieces(std::size_t count, const TypeInfo& info, Piece&& piece) {
  constexpr std::size_t most = std::size_t{1} << 30;
  const std::size_t at_once = std::max<std::size_t>(1, most / std::max<std::size_t>(1, info.size));
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t now = std::min(at_once, count - first);
    const int error = piece(static_cast<std::ptrdiff_t>(first) * info.extent, first * info.size,
                            static_cast<int>(now), static_cast<int>(now * info.size));
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

int pack(const void* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info, char* bytes,
         MPI_Comm comm) {
  return in_pieces(count, info,
                   [&](std::ptrdiff_t element, std::size_t byte, int elements_now, int bytes_now) {
                     int position = 0;
                     return PMPI_Pack(static_cast<const char*>(elements) + element, elements_now, type,
                                      bytes + byte, bytes_now, &position, comm);
                   });
}

int unpack(const char* bytes, void* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info,
           MPI_Comm comm) {
  return in_pieces(count, info,
                   [&](std::ptrdiff_t element, std::size_t byte, int elements_now, int bytes_now) {
                     int position = 0;
                     return PMPI_Unpack(bytes + byte, bytes_now, &position,
                                        static_cast<char*>(elements) + element, elements_now, type, comm);
                   });
}

int copy_elements(const void* from, void* into, std::size_t count, MPI_Datatype type, bool contiguous,
                  std::ptrdiff_t extent, MPI_Comm comm) {
  if (contiguous) {
    std::memcpy(into, from, count * static_cast<std::size_t>(extent));
    return MPI_SUCCESS;
  }
  int self = 0;
  PMPI_Comm_rank(comm, &self);
  for (std::size_t first = 0; first < count; first += INT_MAX) {
    const int now = static_cast<int>(std::min<std::size_t>(count - first, INT_MAX));
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first) * extent;
    const int error =
        PMPI_Sendrecv(static_cast<const char*>(from) + at, now, type, self, 0, static_cast<char*>(into) + at,
                      now, type, self, 0, comm, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace tutti::runtime
