// Allgather as everybody's circulant broadcast at once: every block is cut into m pieces, the more
// the longer the longest is, and in each of m − 1 + ⌈log2 p⌉ rounds a rank passes on a piece of
// each block, all to one other rank. Of a long block among short ones ranks pass on pieces before
// they have all of it.

#include <algorithm>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/circulant.hpp"

namespace tutti::inline core::families {
namespace {

constexpr int most_pieces = 4096;     // each is a message
constexpr int most_blocks = 1 << 16;  // pieces of all ranks' blocks: each rank lists them

// A long block among short ones is as a broadcast of what it is longer; equal ones gain nothing.
int count_pieces(int ranks, const Arguments& arguments, std::size_t longer) {
  return std::min({circulant_blocks(ranks, longer, arguments.number("n_half")), most_pieces,
                   std::max(1, most_blocks / ranks)});
}

void generate(Builder& b, const Arguments&) {
  const int p = b.ranks(), m = pieces(b.shape());
  const Rank me = b.rank();
  b.copy(output(me * m, m), input(me * m, m));
  if (p == 1) return;
  const auto rounds = circulant_rounds(p, m);  // by member: this rank is another one for each root
  for (std::size_t round = 0; round < rounds.front().size(); ++round) {
    Ranges incoming, outgoing;
    Rank from = me, to = me;  // the same for all roots
    for (Rank root = 0; root < p; ++root) {
      const Team team{p, root};
      const CirculantRound& one = rounds[static_cast<std::size_t>(team.member(me))][round];
      if (one.from >= 0) {
        from = team.rank(one.from);
        incoming.add(output(root * m + one.incoming));
      }
      if (one.to >= 0) {
        to = team.rank(one.to);
        outgoing.add(output(root * m + one.outgoing));
      }
    }
    b.next_round();
    b.recv(from, incoming);
    b.send(to, outgoing);
  }
}

}  // namespace

Family allgather_circulant_pipelined() {
  return {{
      .collective = Collective::allgather,
      .name = "circulant_pipelined",
      .summary = "pieces of all blocks spread by skips that halve p, new ones every round",
      .wins = "blocks of very different length",
      .source = "Träff, (Poly)Logarithmic Time Construction of Round-optimal n-Block Broadcast Schedules for "
                "Broadcast and irregular Allgather in MPI, 2022",
      .parameters = {{"n_half",
                      "bytes whose transfer takes as long as a message's latency (alpha / beta); where the "
                      "longest block is n bytes longer than the mean one, each is cut into "
                      "sqrt((q - 1) n / n_half) pieces",
                      {"1024", "4096", "16384"},
                      true,
                      1,
                      true}},
      .pieces = count_pieces,
      .generate = generate,
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {  // of equal blocks
        return Cost{double(ceil_log2(p)), (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
