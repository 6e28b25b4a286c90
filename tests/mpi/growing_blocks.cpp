// Gathers and scatters whose blocks grow and shrink from call to call, on all ranks or on one only:
// what a plan is computed for changes with the longest block, which the other ranks do not see in
// their own. Prints "growing blocks: all right".

#include <mpi.h>

#include <cstddef>
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

}  // namespace

int main(int argc, char** argv) {
  return all_right("growing blocks", argc, argv, [] {
    constexpr int short_block = 4 << 10;
    for (int root = 0; root < ranks; ++root)
      for (const int longest : {short_block, 64 << 10, short_block, 1 << 20, 64 << 10}) {
        scatters_and_gathers(std::vector<int>(static_cast<std::size_t>(ranks), longest), root);
        for (std::size_t grown = 0; grown < static_cast<std::size_t>(ranks); ++grown) {
          std::vector<int> lengths(static_cast<std::size_t>(ranks), short_block);
          lengths[grown] = longest;
          scatters_and_gathers(lengths, root);
        }
      }
  });
}
