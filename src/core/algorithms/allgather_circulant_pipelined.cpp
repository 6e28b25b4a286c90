// Allgather as everybody's circulant broadcast at once: every block is cut into m pieces, and in
// each of m − 1 + ⌈log2 p⌉ rounds a rank passes on a piece of each block, all to one other rank. Of
// a long block among short ones ranks pass on pieces before they have all of it.

#include <algorithm>
#include <limits>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/circulant.hpp"

namespace tutti::inline core::families {
namespace {

constexpr int most_pieces = 4096;  // blocks are numbered by int, and each piece is a message

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
      .parameters = {{"pieces", "how many pieces each block is cut into", {"4"}, true}},
      .blocks =
          [](int ranks, const Arguments& arguments, std::size_t) {
            const int most = std::min(most_pieces, std::numeric_limits<int>::max() / ranks);
            return ranks * std::min(arguments.number("pieces"), most);
          },
      .generate = generate,
      .cost = [](int p, const Arguments& arguments) -> std::optional<Cost> {
        return Cost{arguments.number("pieces") - 1.0 + ceil_log2(p), (p - 1.0) / p, 0};
      },
  }};
}

}  // namespace tutti::inline core::families
