// Broadcast by the root alone: it sends the whole vector to every other rank. p − 1 messages through one
// port.

#include "algorithms/algorithm.hpp"

namespace tutti::families {

Family bcast_linear() {
  return {{
      .collective = Collective::bcast,
      .name = "linear",
      .summary = "the root sends the whole vector to everybody at once",
      .wins = "very few ranks",
      .source = "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra, Performance Analysis of MPI Collective "
                "Operations, 2007",
      .blocks = one_block,
      .generate =
          [](Builder& b, const Arguments&) {
            const Rank root = b.shape().root;
            if (b.rank() != root) return b.recv(root, output(0));
            for (int i = 1; i < b.ranks(); ++i) b.send((root + i) % b.ranks(), output(0));
          },
      .cost = [](int p, const Arguments&) -> std::optional<Cost> {
        return Cost{p - 1.0, p - 1.0, 0};
      },
  }};
}

}  // namespace tutti::families
