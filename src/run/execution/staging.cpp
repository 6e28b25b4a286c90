#include "run/execution/staging.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>

#include "run/execution/constants.hpp"
#include "run/mpi/handles.hpp"
#include "run/mpi/self_comm.hpp"

namespace tutti::run {
namespace {

// MPI_Pack counts bytes in an int: goes through the elements in pieces that it can count, as far as
// one element has no more. Elements of no bytes need no packing, and libraries refuse the null
// pointers that such buffers may be.
template <typename Piece>
int in_pieces(std::size_t count, const TypeInfo& info, Piece&& piece) {
  if (info.size == 0) return MPI_SUCCESS;
  const std::size_t at_once =
      std::max<std::size_t>(1, execution::most_bytes_packed / std::max<std::size_t>(1, info.size));
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t now = std::min(at_once, count - first);
    const int error = piece(static_cast<std::ptrdiff_t>(first) * info.extent, first * info.size,
                            static_cast<int>(now), now * info.size);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

// What MPI_Pack does not take: more bytes than an int counts, and MPI_BOTTOM where it is the null
// pointer, which MPICH takes for a mistake. A message of a rank to itself does the same, for what
// was sent as elements may be received as packed.
bool needs_message(const void* elements, std::size_t bytes) {
  return elements == nullptr || bytes > INT_MAX;
}

// Threads may do it at the same time.
int to_self(const void* from, int from_count, MPI_Datatype from_type, void* into, int into_count,
            MPI_Datatype into_type) {
  static std::atomic<unsigned> number{0};
  const int tag = self_comm::tag_of_copy(number.fetch_add(1, std::memory_order_relaxed));
  return PMPI_Sendrecv(from, from_count, from_type, 0, tag, into, into_count, into_type, 0, tag,
                       self_comm::get(), MPI_STATUS_IGNORE);
}

// Calls move(count, type) for so many packed bytes: what is beyond an int's range is one element of
// a type of its own.
template <typename Move>
int with_packed(std::size_t bytes, Move&& move) {
  if (bytes <= INT_MAX) return move(static_cast<int>(bytes), MPI_PACKED);
  constexpr std::size_t each = execution::most_bytes_packed;
  const int lengths[] = {static_cast<int>(bytes / each), static_cast<int>(bytes % each)};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / each * each)};
  MPI_Datatype chunk = MPI_DATATYPE_NULL, all = MPI_DATATYPE_NULL;
  if (const int error = PMPI_Type_contiguous(static_cast<int>(each), MPI_PACKED, &chunk);
      error != MPI_SUCCESS)
    return error;
  const OwnType owned_chunk(chunk);
  const MPI_Datatype types[] = {chunk, MPI_PACKED};
  if (const int error = PMPI_Type_create_struct(2, lengths, places, types, &all); error != MPI_SUCCESS)
    return error;
  const OwnType owned(all);
  const int error = PMPI_Type_commit(&all);
  return error == MPI_SUCCESS ? move(1, all) : error;
}

}  // namespace

int pack(const void* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info, char* bytes) {
  return in_pieces(count, info,
                   [&](std::ptrdiff_t element, std::size_t byte, int elements_now, std::size_t bytes_now) {
                     const char* from = static_cast<const char*>(elements) + element;
                     int position = 0;
                     if (needs_message(from, bytes_now))
                       return with_packed(bytes_now, [&](int packed, MPI_Datatype as) {
                         return to_self(from, elements_now, type, bytes + byte, packed, as);
                       });
                     return PMPI_Pack(from, elements_now, type, bytes + byte, static_cast<int>(bytes_now),
                                      &position, self_comm::get());
                   });
}

int unpack(const char* bytes, void* elements, std::size_t count, MPI_Datatype type, const TypeInfo& info) {
  return in_pieces(count, info,
                   [&](std::ptrdiff_t element, std::size_t byte, int elements_now, std::size_t bytes_now) {
                     char* into = static_cast<char*>(elements) + element;
                     int position = 0;
                     if (needs_message(into, bytes_now))
                       return with_packed(bytes_now, [&](int packed, MPI_Datatype as) {
                         return to_self(bytes + byte, packed, as, into, elements_now, type);
                       });
                     return PMPI_Unpack(bytes + byte, static_cast<int>(bytes_now), &position, into,
                                        elements_now, type, self_comm::get());
                   });
}

int copy_elements(const void* from, void* into, std::size_t count, MPI_Datatype type, bool contiguous,
                  std::ptrdiff_t extent) {
  if (count == 0) return MPI_SUCCESS;
  if (contiguous) {
    std::memcpy(into, from, count * static_cast<std::size_t>(extent));
    return MPI_SUCCESS;
  }
  for (std::size_t first = 0; first < count; first += INT_MAX) {
    const int now = static_cast<int>(std::min<std::size_t>(count - first, INT_MAX));
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first) * extent;
    const int error =
        to_self(static_cast<const char*>(from) + at, now, type, static_cast<char*>(into) + at, now, type);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace tutti::run
