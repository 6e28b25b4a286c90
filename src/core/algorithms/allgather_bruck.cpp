// Allgather by concatenation: in round k every rank sends all it has, up to what is still missing,
// to the rank 2^k below. ⌈log2 p⌉ rounds for any p. Blocks go straight to their final place: where
// they wrap around the end of the vector a message has two ranges, and the rotation at the end of
// the original is not needed.

#include <algorithm>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core::families {

Family allgather_bruck() {
  return {{
      .collective = Collective::allgather,
      .name = "bruck",
      .summary = "everybody sends all it has to ever farther ranks",
      .wins = "short messages, any number of ranks",
      .source = "Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient Algorithms for All-to-All Communications in "
                "Multiport Message-Passing Systems, 1997",
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments&) {
            const int p = b.ranks();
            const Rank me = b.rank();
            b.copy(output(me), input(me));
            for (int distance = 1; distance < p; distance *= 2) {
              const int count = std::min(distance, p - distance);
              b.next_round();
              b.recv((me + distance) % p, cyclic(Buffer::output, me + distance, count, p));
              b.send((me - distance + p) % p, cyclic(Buffer::output, me, count, p));
            }
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{double(ceil_log2(p)), (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
