// Irregular calls whose blocks grow and shrink from call to call, on all ranks or on one only:
// what a plan goes by changes with the longest block, which the other ranks do not see in their
// own. They block, return at once, and are started again where the MPI library has such requests.
// Prints "growing blocks: all right".

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "all_right.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

// The bytes of all ranks, one block after another.
struct Blocks {
  std::vector<int> counts, places;
  Bytes bytes;

  explicit Blocks(const std::vector<int>& lengths) : counts(lengths) {
    for (std::size_t r = 0; r < counts.size(); ++r) {
      places.push_back(static_cast<int>(bytes.size()));
      const Bytes block = block_of(static_cast<int>(r), counts[r]);
      bytes.insert(bytes.end(), block.begin(), block.end());
    }
  }
  static Bytes block_of(int owner, int length) {
    Bytes block(static_cast<std::size_t>(length));
    for (std::size_t i = 0; i < block.size(); ++i)
      block[i] = static_cast<unsigned char>((i + block.size() / 4096) * 7 + static_cast<std::size_t>(owner));
    return block;
  }
};

void scatters_and_gathers(const std::vector<int>& lengths, int root) {
  const Blocks all(lengths);
  const int length = lengths[static_cast<std::size_t>(rank)];
  const Bytes expected = Blocks::block_of(rank, length);
  Bytes mine(expected.size(), 255);
  MPI_Scatterv(all.bytes.data(), all.counts.data(), all.places.data(), MPI_BYTE, mine.data(), length,
               MPI_BYTE, root, MPI_COMM_WORLD);
  require(mine == expected, "a block of a scatter is wrong");
  Bytes gathered(all.bytes.size(), 255);
  MPI_Gatherv(mine.data(), length, MPI_BYTE, gathered.data(), all.counts.data(), all.places.data(), MPI_BYTE,
              root, MPI_COMM_WORLD);
  require(rank != root || gathered == all.bytes, "a gather is wrong");
}

// Both at once.
void at_once(const std::vector<int>& lengths, int root) {
  const Blocks all(lengths);
  const int length = lengths[static_cast<std::size_t>(rank)];
  const Bytes given = Blocks::block_of(rank, length);
  Bytes got(given.size(), 255), gathered(all.bytes.size(), 255);
  MPI_Request requests[2];
  MPI_Iscatterv(all.bytes.data(), all.counts.data(), all.places.data(), MPI_BYTE, got.data(), length,
                MPI_BYTE, root, MPI_COMM_WORLD, &requests[0]);
  MPI_Igatherv(given.data(), length, MPI_BYTE, gathered.data(), all.counts.data(), all.places.data(),
               MPI_BYTE, root, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  require(got == given, "a block of a scatter at once is wrong");
  require(rank != root || gathered == all.bytes, "a gather at once is wrong");
}

#ifdef TUTTI_PERSISTENT_COLLECTIVES
// Each started again with other data. They lie apart on all ranks but the root, so that these copy
// them at every start, and the root does not.
void again(const std::vector<int>& lengths, int root) {
  Blocks all(lengths);
  const int length = lengths[static_cast<std::size_t>(rank)];
  MPI_Datatype apart;
  MPI_Type_create_resized(MPI_BYTE, 0, 2, &apart);
  MPI_Type_commit(&apart);
  const std::size_t step = rank == root ? 1 : 2;
  const MPI_Datatype type = rank == root ? MPI_BYTE : apart;
  Bytes mine(step * static_cast<std::size_t>(length)), gathered(all.bytes.size());
  MPI_Request scatter, gather;
  MPI_Scatterv_init(all.bytes.data(), all.counts.data(), all.places.data(), MPI_BYTE, mine.data(), length,
                    type, root, MPI_COMM_WORLD, MPI_INFO_NULL, &scatter);
  MPI_Gatherv_init(mine.data(), length, type, gathered.data(), all.counts.data(), all.places.data(), MPI_BYTE,
                   root, MPI_COMM_WORLD, MPI_INFO_NULL, &gather);
  for (int round = 0; round < 3; ++round) {
    for (unsigned char& byte : all.bytes) byte = static_cast<unsigned char>(byte + 3);
    gathered.assign(gathered.size(), 255);
    for (MPI_Request* const request : {&scatter, &gather}) {
      MPI_Start(request);
      MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    const std::size_t own = static_cast<std::size_t>(all.places[static_cast<std::size_t>(rank)]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i)
      require(mine[i * step] == all.bytes[own + i], "a block of a scatter that is started again is wrong");
    require(rank != root || gathered == all.bytes, "a gather that is started again is wrong");
  }
  MPI_Request_free(&scatter);
  MPI_Request_free(&gather);
  MPI_Type_free(&apart);
}
#endif

// Each rank sends its long block to the next one, which alone sees that, and short ones to others.
// Behind that ranks get a number of each other, as they may have told each other a length.
void exchange(const std::vector<int>& lengths) {
  constexpr int short_block = 5;
  const auto length = [&](int from, int to) {
    return to == (from + 1) % ranks ? lengths[static_cast<std::size_t>(from)] : short_block;
  };
  std::vector<int> to_each, from_each;
  for (int other = 0; other < ranks; ++other) {
    to_each.push_back(length(rank, other));
    from_each.push_back(length(other, rank));
  }
  const Blocks wanted(from_each);
  Blocks given(to_each);
  for (std::size_t to = 0, at = 0; to < to_each.size(); at += static_cast<std::size_t>(to_each[to++])) {
    const Bytes block = Blocks::block_of(rank, to_each[to]);
    std::copy(block.begin(), block.end(), given.bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  for (const bool waits : {false, true}) {
    Bytes got(wanted.bytes.size(), 255);
    MPI_Request request = MPI_REQUEST_NULL;
    if (waits)
      MPI_Ialltoallv(given.bytes.data(), given.counts.data(), given.places.data(), MPI_BYTE, got.data(),
                     wanted.counts.data(), wanted.places.data(), MPI_BYTE, MPI_COMM_WORLD, &request);
    else
      MPI_Alltoallv(given.bytes.data(), given.counts.data(), given.places.data(), MPI_BYTE, got.data(),
                    wanted.counts.data(), wanted.places.data(), MPI_BYTE, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(got == wanted.bytes, "an exchange is wrong");
  }
  const std::uint64_t own = 1000 + static_cast<std::uint64_t>(rank);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  for (std::size_t other = 0; other < all.size(); ++other)
    require(all[other] == 1000 + other, "a number of another rank is wrong");
}

void in_all_modes(const std::vector<int>& lengths, int root) {
  scatters_and_gathers(lengths, root);
  at_once(lengths, root);
  if (root == 0) exchange(lengths);
#ifdef TUTTI_PERSISTENT_COLLECTIVES
  again(lengths, root);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("growing blocks", argc, argv, [] {
    constexpr int short_block = 4 << 10;
    for (int root = 0; root < ranks; ++root)
      for (const int longest : {short_block, 64 << 10, short_block, 1 << 20, 64 << 10}) {
        in_all_modes(std::vector<int>(static_cast<std::size_t>(ranks), longest), root);
        for (std::size_t grown = 0; grown < static_cast<std::size_t>(ranks); ++grown) {
          std::vector<int> lengths(static_cast<std::size_t>(ranks), short_block);
          lengths[grown] = longest;
          in_all_modes(lengths, root);
        }
      }
  });
}
