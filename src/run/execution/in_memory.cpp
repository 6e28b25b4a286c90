#include "run/execution/in_memory.hpp"

#include <algorithm>
#include <cstring>

#include "run/execution/constants.hpp"

namespace tutti::run {
int InMemory::carry_out(Collective collective, const Vectors& vectors) {
  if (collective == Collective::barrier) {
    stages().begin();
    return meet();
  }
  const std::size_t bytes = vectors.elements * vectors.element;
  if (bytes * memory_.ranks() <= execution::most_read_by_everyone && bytes <= shared_.place_bytes())
    return combine_all(vectors);
  const std::size_t most = std::max<std::size_t>(shared_.place_bytes() / vectors.element, 1);
  for (std::size_t begin = 0; begin < vectors.elements; begin += most) {
    Vectors chunk = vectors;
    chunk.from += begin * vectors.element;
    if (chunk.into) chunk.into += begin * vectors.element;
    chunk.elements = std::min(most, vectors.elements - begin);
    if (const int error = combine_slices(chunk, bytes); error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

// Shows this stage and sees everyone in it, who have to give as many bytes.
int InMemory::meet_with(std::size_t bytes) {
  shared_.given(me(), stages().place()) = bytes;
  const int error = meet();
  for (int other = 0; error == MPI_SUCCESS && other < ranks(); ++other)
    if (shared_.given(other, stages().place()) != bytes) return MPI_ERR_TRUNCATE;
  return error;
}

// Shows this stage and sees everyone in it.
int InMemory::meet() {
  stages().show(shared_, me());
  for (int other = 0; other < ranks(); ++other)
    if (const int error = see(other); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

int InMemory::see(int rank) {
  if (rank == me()) return MPI_SUCCESS;
  for (Waiting waiting = memory_.waiting(comm_); !stages().sees(shared_, rank);)
    if (const int error = waiting.pause(); error != MPI_SUCCESS) return error;
  return MPI_SUCCESS;
}

int InMemory::combine_all(const Vectors& v) {
  stages().begin();
  const std::size_t bytes = v.elements * v.element;
  std::memcpy(place(me()), v.from, bytes);
  if (const int error = meet_with(bytes); error != MPI_SUCCESS || !v.into) return error;
  std::memcpy(v.into, place(ranks() - 1), bytes);
  for (int rank = ranks() - 2; rank >= 0; --rank)
    if (const int error = PMPI_Reduce_local(place(rank), v.into, static_cast<int>(v.elements), v.type, v.op);
        error != MPI_SUCCESS)
      return error;
  return MPI_SUCCESS;
}

InMemory::Slice InMemory::slice(int rank, std::size_t elements) const {
  const auto share = [&](int of) { return elements * static_cast<std::size_t>(of) / memory_.ranks(); };
  return {share(rank), share(rank + 1)};
}

// Two stages: what the others combine of mine, and what I have combined. The result of my slice is
// made where the second stage will show it, when all have come to the first: they have done with
// what was there.
int InMemory::combine_slices(const Vectors& v, std::size_t whole) {
  const Slice mine = slice(me(), v.elements);
  const auto bytes = [&](std::size_t elements) { return elements * v.element; };
  stages().begin();
  char* const shown = place(me());
  std::memcpy(shown, v.from, bytes(mine.begin));
  std::memcpy(shown + bytes(mine.end), v.from + bytes(mine.end), bytes(v.elements - mine.end));
  if (const int error = meet_with(whole); error != MPI_SUCCESS) return error;

  char* const result = shared_.place(me(), 1 - stages().place());
  const auto count = static_cast<int>(mine.end - mine.begin);
  std::memcpy(result, v.from + bytes(mine.begin), bytes(mine.end - mine.begin));
  for (int distance = 1; distance < ranks() && count > 0; ++distance)
    if (const int error = PMPI_Reduce_local(place((me() + distance) % ranks()) + bytes(mine.begin), result,
                                            count, v.type, v.op);
        error != MPI_SUCCESS)
      return error;
  stages().begin();
  stages().show(shared_, me());
  for (int distance = 0; distance < ranks(); ++distance) {
    const int other = (me() + distance) % ranks();
    if (const int error = see(other); error != MPI_SUCCESS) return error;
    const Slice theirs = slice(other, v.elements);
    if (v.into) std::memcpy(v.into + bytes(theirs.begin), place(other), bytes(theirs.end - theirs.begin));
  }
  return MPI_SUCCESS;
}

}  // namespace tutti::run
