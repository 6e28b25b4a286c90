// Personalised exchange, apart from posting everything at once (linear.cpp).

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core::families {
namespace {

// A block has to travel d = receiver − sender (round p) ranks. In the step for a digit of d, in
// base `radix`, it travels that digit's share, together with all blocks of the same digit. Blocks
// that are not there yet wait in scratch, each in a place of its own.
void bruck(Builder& b, const Arguments& arguments) {
  const int p = b.ranks(), radix = arguments.number("radix");
  const Rank me = b.rank();
  const auto around = [p](int rank) { return ((rank % p) + p) % p; };
  b.copy(output(me), input(me));
  std::vector<BlockRange> place;  // by distance
  for (int distance = 0; distance < p; ++distance) place.push_back(input(around(me + distance)));
  int waiting = 0;
  for (long weight = 1; weight < p; weight *= radix) {
    b.next_round();
    for (int digit = 1; digit < radix && digit * weight < p; ++digit) {
      Ranges sent, received;
      for (int distance = 0; distance < p; ++distance) {
        if (distance / weight % radix != digit) continue;
        auto& at = place[static_cast<std::size_t>(distance)];
        sent.add(at);
        const bool arrives = distance / weight == digit;
        at = arrives ? output(around(me - distance)) : scratch(waiting++);
        received.add(at);
      }
      const int step = static_cast<int>(digit * weight);
      b.recv(around(me - step), received);
      b.send(around(me + step), sent);
    }
  }
}

void pairwise(Builder& b, const Arguments&) {
  const int p = b.ranks();
  const Rank me = b.rank();
  b.copy(output(me), input(me));
  for (int round = 1; round < p; ++round) {
    const Rank to = is_power_of_two(p) ? me ^ round : (me + round) % p;
    const Rank from = is_power_of_two(p) ? to : (me - round + p) % p;
    b.next_round();
    b.recv(from, output(from));
    b.send(to, input(to));
  }
}

}  // namespace

Family alltoall() {
  return {
      {.collective = Collective::alltoall,
       .name = "bruck",
       .summary = "blocks travel by the digits of their distance, many in a message",
       .wins = "short messages",
       .source =
           "Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient Algorithms for All-to-All Communications in "
           "Multiport Message-Passing Systems, 1997",
       .parameters =
           {{"radix", "base of the digits; larger: more messages, less volume", {"2", "4", "8"}, true, 2}},
       .relays = true,
       .blocks = block_a_rank,
       .generate = bruck,
       .cost = [](int p, const Arguments& arguments) -> std::optional<Cost> {
         if (!is_power_of_two(p) || arguments.number("radix") != 2) return std::nullopt;
         return Cost{double(ceil_log2(p)), ceil_log2(p) / 2.0, 0};
       }},
      {.collective = Collective::alltoall,
       .name = "pairwise",
       .summary = "a round for each distance: pairs exchange on powers of two, shifts elsewhere",
       .wins = "long messages",
       .source = thakur_2005,
       .section = "4.3",
       .blocks = block_a_rank,
       .generate = pairwise,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{p - 1.0, (p - 1.0) / p, 0};
       }},
  };
}

}  // namespace tutti::inline core::families
