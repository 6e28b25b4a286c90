// Calls of which each rank knows its own size only: gatherv, scatterv, alltoallv and alltoallw, in
// which one block is long or none is, so that most ranks do not see which of them they are; and
// where they block neighbor_alltoallv, in which a rank has no neighbours.
//
// Usage: by_sizes block|at_once|again|threads CALLS short|long|in_turn|at_random
//
// They block, return at once, or are started twice by a request each; "threads" is at_once in a
// program whose threads may all call. Prints "by sizes: all right".

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "all_right.hpp"

namespace {

constexpr int short_block = 3, long_block = 16 << 10;

// The bytes of a block, as all ranks know them.
int length(bool is_long, int from, int to) {
  return is_long && from == ranks - 1 && to == 0 ? long_block * ranks : short_block;
}
unsigned char byte_of(int from, int to, int i) {
  return static_cast<unsigned char>(7 * from + 3 * to + i);
}

// Some blocks in a row, by the other rank.
struct Blocks {
  std::vector<int> counts, places;
  std::vector<MPI_Datatype> types;
  std::vector<unsigned char> bytes;

  void add(int count) {
    counts.push_back(count);
    places.push_back(static_cast<int>(bytes.size()));
    types.push_back(MPI_BYTE);
    bytes.resize(bytes.size() + static_cast<std::size_t>(count), 255);
  }
  // Calls visit(byte, block, place in it).
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (std::size_t block = 0; block < counts.size(); ++block)
      for (int i = 0; i < counts[block]; ++i)
        visit(bytes[static_cast<std::size_t>(places[block] + i)], static_cast<int>(block), i);
  }
};

enum class Mode { block, at_once, again };

// Carries a call out in its mode: `blocks`, or what `begins` or `makes` a request.
template <typename Block, typename Begin, typename Make>
void carry_out(Mode mode, Block&& blocks, Begin&& begins, [[maybe_unused]] Make&& makes) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (mode == Mode::block) blocks();
  if (mode == Mode::at_once) {
    begins(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (mode != Mode::again) return;
  makes(&request);
  for (int start = 0; start < 2; ++start) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

#ifdef TUTTI_PERSISTENT_COLLECTIVES
#define REQUEST_OF(call) [&](MPI_Request* r) { call; }
#else
#define REQUEST_OF(call) [](MPI_Request*) {}
#endif

void gather(Mode mode, bool is_long) {
  Blocks given, got;
  given.add(length(is_long, rank, 0));
  given.for_each([](unsigned char& byte, int, int i) { byte = byte_of(rank, 0, i); });
  for (int from = 0; rank == 0 && from < ranks; ++from) got.add(length(is_long, from, 0));
  const auto arguments = [&](auto call, auto... more) {
    call(given.bytes.data(), given.counts[0], MPI_BYTE, got.bytes.data(), got.counts.data(),
         got.places.data(), MPI_BYTE, 0, MPI_COMM_WORLD, more...);
  };
  carry_out(
      mode, [&] { arguments(MPI_Gatherv); }, [&](MPI_Request* r) { arguments(MPI_Igatherv, r); },
      REQUEST_OF(arguments(MPI_Gatherv_init, MPI_INFO_NULL, r)));
  got.for_each(
      [](unsigned char byte, int from, int i) { require(byte == byte_of(from, 0, i), "a gather is wrong"); });
}

void scatter(Mode mode, bool is_long) {
  Blocks given, got;
  got.add(length(is_long, rank, 0));
  for (int to = 0; rank == 0 && to < ranks; ++to) given.add(length(is_long, to, 0));
  given.for_each([](unsigned char& byte, int to, int i) { byte = byte_of(0, to, i); });
  const auto arguments = [&](auto call, auto... more) {
    call(given.bytes.data(), given.counts.data(), given.places.data(), MPI_BYTE, got.bytes.data(),
         got.counts[0], MPI_BYTE, 0, MPI_COMM_WORLD, more...);
  };
  carry_out(
      mode, [&] { arguments(MPI_Scatterv); }, [&](MPI_Request* r) { arguments(MPI_Iscatterv, r); },
      REQUEST_OF(arguments(MPI_Scatterv_init, MPI_INFO_NULL, r)));
  got.for_each(
      [](unsigned char byte, int, int i) { require(byte == byte_of(0, rank, i), "a scatter is wrong"); });
}

void exchange(Mode mode, bool is_long, bool has_types) {
  Blocks given, got;
  for (int other = 0; other < ranks; ++other) {
    given.add(length(is_long, rank, other));
    got.add(length(is_long, other, rank));
  }
  given.for_each([](unsigned char& byte, int to, int i) { byte = byte_of(rank, to, i); });
  const auto arguments = [&](auto call, auto... more) {
    call(given.bytes.data(), given.counts.data(), given.places.data(), MPI_BYTE, got.bytes.data(),
         got.counts.data(), got.places.data(), MPI_BYTE, MPI_COMM_WORLD, more...);
  };
  const auto typed = [&](auto call, auto... more) {
    call(given.bytes.data(), given.counts.data(), given.places.data(), given.types.data(), got.bytes.data(),
         got.counts.data(), got.places.data(), got.types.data(), MPI_COMM_WORLD, more...);
  };
  if (has_types)
    carry_out(
        mode, [&] { typed(MPI_Alltoallw); }, [&](MPI_Request* r) { typed(MPI_Ialltoallw, r); },
        REQUEST_OF(typed(MPI_Alltoallw_init, MPI_INFO_NULL, r)));
  else
    carry_out(
        mode, [&] { arguments(MPI_Alltoallv); }, [&](MPI_Request* r) { arguments(MPI_Ialltoallv, r); },
        REQUEST_OF(arguments(MPI_Alltoallv_init, MPI_INFO_NULL, r)));
  got.for_each([](unsigned char byte, int from, int i) {
    require(byte == byte_of(from, rank, i), "an exchange is wrong");
  });
}

// All ranks but the first are a ring. That one has no neighbours, and so no arrays of counts.
void exchange_in_a_ring(int calls) {
  const bool is_in = rank > 0;
  const int others = ranks - 1, left = 1 + (rank + others - 2) % others, right = 1 + rank % others;
  const int one = 1, nowhere = 0, degree = is_in ? 1 : 0;
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, &left, MPI_UNWEIGHTED, degree, &right,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  const int *counts = is_in ? &one : nullptr, *places = is_in ? &nowhere : nullptr;
  for (int call = 0; call < calls; ++call) {
    const int given = 10 * rank + call;
    int got = -1;
    MPI_Neighbor_alltoallv(&given, counts, places, MPI_INT, &got, counts, places, MPI_INT, ring);
    require(got == (is_in ? 10 * left + call : -1), "an exchange in a ring is wrong");
  }
  MPI_Comm_free(&ring);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 3 ? argv[1] : "", which = argc > 3 ? argv[3] : "";
  const int calls = argc > 3 ? std::atoi(argv[2]) : 0;
  const auto run = [&] {
    const Mode mode = how == "block" ? Mode::block : how == "again" ? Mode::again : Mode::at_once;
    MPI_Barrier(MPI_COMM_WORLD);
    std::mt19937 random(11);  // the same on all ranks
    for (int call = 0; call < calls; ++call) {
      const bool is_long = which == "long" || (which == "in_turn" && call % 2 == 1) ||
                           (which == "at_random" && random() % 2 == 0);
      gather(mode, is_long);
      scatter(mode, is_long);
      exchange(mode, is_long, false);
      exchange(mode, is_long, true);
    }
    if (mode == Mode::block) exchange_in_a_ring(calls);
  };
  return all_right("by sizes", argc, argv, run,
                   how == "threads" ? std::optional(MPI_THREAD_MULTIPLE) : std::nullopt);
}
