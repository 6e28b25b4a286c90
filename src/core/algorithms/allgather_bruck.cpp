// Allgather by the digits of distances, in base k: all that is one digit away, and what is there
// already, comes in one round of k − 1 messages. ⌈log_k p⌉ rounds for any p. Blocks go straight to
// their final place: where they wrap around the end of the vector a message has two ranges, and the
// rotation at the end of the original is not needed.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/skips.hpp"

namespace tutti::inline core::families {

Family allgather_bruck() {
  return {{
      .collective = Collective::allgather,
      .name = "bruck",
      .summary = "everybody sends all it has to ever farther ranks",
      .wins = "short messages, any number of ranks",
      .source = "Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient Algorithms for All-to-All Communications in "
                "Multiport Message-Passing Systems, 1997",
      .parameters =
          {{"radix", "base of the digits; larger: fewer rounds of more messages", {"2", "3"}, true, 2},
           largest_parameter()},
      .blocks = block_a_rank,
      .generate =
          [](Builder& b, const Arguments& arguments) {
            const Skips skips = bruck_skips(b.ranks(), arguments.number("radix"));
            allgather(b, along_skips(b.ranks(), b.rank(), skips, largest(arguments)));
          },
      .cost = [](int p, const Arguments& arguments) -> std::optional<Cost> {
        if (arguments.number("radix") != 2) return std::nullopt;
        return Cost{double(ceil_log2(p)), (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
