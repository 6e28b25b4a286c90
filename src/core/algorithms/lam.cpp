// What LAM-MPI 6 and 7 did, and the papers on orthogonal structures compare with: straight from the
// root on up to four ranks, along the edges of a hypercube on more. A rank's first edge leads to
// the largest subtree.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core::families {
namespace {

constexpr std::string_view burns_1994 = "Burns, Daoud, Vaigl, LAM: An Open Cluster Environment for MPI, 1994";
constexpr int most_linear_ranks = 4;

void linear_bcast(Builder& b, const Team& team) {
  const int me = team.member(b.rank());
  if (me != 0) return b.recv(team.root, output(0));
  for (int to = 1; to < b.ranks(); ++to) b.send(team.rank(to), output(0));
}

// A node's sends share its link if they are started together.
void hypercube_bcast(Builder& b, const Team& team, bool in_turn) {
  const int me = team.member(b.rank());
  const int arrived_along = me == 0 ? -1 : floor_log2(me);
  if (me != 0) b.recv(team.rank(me - (1 << arrived_along)), output(0));
  for (int edge = arrived_along + 1; me + (1 << edge) < b.ranks(); ++edge) {
    if (in_turn) b.next_round();
    b.send(team.rank(me + (1 << edge)), output(0));
  }
}

void bcast(Builder& b, const Arguments& arguments) {
  const Team team{b.ranks(), b.root()};
  if (b.ranks() <= most_linear_ranks) return linear_bcast(b, team);
  hypercube_bcast(b, team, arguments.text("sends") == "in_turn");
}

}  // namespace

Family lam() {
  return {
      {.collective = Collective::bcast,
       .name = "lam",
       .summary = "linear on up to four ranks, along the edges of a hypercube on more",
       .wins = "a baseline: LAM-MPI's",
       .source = burns_1994,
       .parameters = {{"sends", "whether a rank starts all its sends at once", {"together", "in_turn"}}},
       .blocks = one_block,
       .generate = bcast},
  };
}

}  // namespace tutti::inline core::families
