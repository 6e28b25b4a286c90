// Broadcast in segments along a chain or down a binary tree: while a rank passes a segment on it
// gets the next one. p − 2 + m steps for m segments in a chain, about 2(log2 p + m) in the tree.

#include <algorithm>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core::families {
namespace {

constexpr std::string_view pjesivac_2007 =
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra, Performance Analysis of MPI Collective "
    "Operations, 2007";

std::vector<Parameter> segment_parameter() {
  return {{"segment", "bytes sent on at a time", {"8192", "1024", "32768"}, true}};
}

int segments(int, const Arguments& arguments, std::size_t bytes) {
  const auto segment = static_cast<std::size_t>(arguments.number("segment"));
  return static_cast<int>(std::clamp<std::size_t>((bytes + segment - 1) / segment, 1, 1 << 14));
}

// Gets the segments from `parent` and passes each on to the children while the next one comes. In
// rounds: all segments on their way at once would share a link instead of following each other.
void pass_on(Builder& b, const Team& team, int parent, const std::vector<int>& children) {
  const int m = b.blocks();
  const bool root = team.member(b.rank()) == 0;
  for (int round = root ? 1 : 0; round <= m; ++round) {
    b.next_round();
    if (!root && round < m) b.recv(team.rank(parent), output(round));
    if (round > 0)
      for (const int child : children)
        if (child < team.size) b.send(team.rank(child), output(round - 1));
  }
}

void chain(Builder& b, const Arguments&) {
  const Team team{b.ranks(), b.root()};
  const int me = team.member(b.rank());
  pass_on(b, team, me - 1, {me + 1});
}

void binary_tree(Builder& b, const Arguments&) {
  const Team team{b.ranks(), b.root()};
  const int me = team.member(b.rank());
  pass_on(b, team, (me - 1) / 2, {2 * me + 1, 2 * me + 2});
}

}  // namespace

Family pipelines() {
  return {
      {.collective = Collective::bcast,
       .name = "chain",
       .summary = "segments travel from rank to rank",
       .wins = "very long messages, few ranks",
       .source = pjesivac_2007,
       .parameters = segment_parameter(),
       .blocks = segments,
       .generate = chain},
      {.collective = Collective::bcast,
       .name = "binary_tree",
       .summary = "segments travel down a binary tree",
       .wins = "long messages, many ranks",
       .source = pjesivac_2007,
       .parameters = segment_parameter(),
       .blocks = segments,
       .generate = binary_tree},
  };
}

}  // namespace tutti::inline core::families
