#include "core/algorithms/patterns/knomial.hpp"

#include <algorithm>

namespace tutti::inline core {
namespace {

// A member's place in the tree.
struct Node {
  Node(int me, int team_size, int tree_radix) : member(me), size(team_size), radix(tree_radix), weight(1) {
    while (me == 0 ? weight < size : me / weight % radix == 0) weight *= radix;
  }
  int parent() const { return static_cast<int>(member - member / weight % radix * weight); }
  bool is_leaf() const { return weight == 1 || member + 1 >= size; }
  // The members of the subtree at `root`, which is `full` members in a complete tree.
  int subtree(int root, long full) const { return static_cast<int>(std::min<long>(full, size - root)); }
  // Calls visit(child) for the children whose subtrees have `level` members.
  void for_each_child(long level, auto&& visit) const {
    for (int digit = 1; digit < radix && member + digit * level < size; ++digit)
      visit(static_cast<int>(member + digit * level));
  }

  int member, size, radix;
  // How many members the subtree has in a complete tree, by the lowest digit that is not zero: that
  // may be more than there are members at all.
  long weight;
};

}  // namespace

int knomial_subtree(const Team& team, int member, int radix) {
  const Node node(member, team.size, radix);
  return node.subtree(member, node.weight);
}

void knomial_bcast(Builder& b, const Team& team, int radix) {
  const Node node(team.member(b.rank()), team.size, radix);
  const BlockRange all = output(0, b.blocks());
  if (node.member != 0) b.recv(team.rank(node.parent()), all);
  for (long level = node.weight / radix; level >= 1; level /= radix) {
    b.next_round();
    node.for_each_child(level, [&](int child) { b.send(team.rank(child), all); });
  }
}

void knomial_scatter(Builder& b, const Team& team, int radix, const SubtreePlace& place) {
  const Node node(team.member(b.rank()), team.size, radix);
  if (node.member != 0)
    b.recv(team.rank(node.parent()), place(node.member, node.subtree(node.member, node.weight)));
  for (long level = node.weight / radix; level >= 1; level /= radix) {
    b.next_round();
    node.for_each_child(
        level, [&](int child) { b.send(team.rank(child), place(child, node.subtree(child, level))); });
  }
}

void knomial_gather(Builder& b, const Team& team, int radix, const SubtreePlace& place) {
  const Node node(team.member(b.rank()), team.size, radix);
  for (long level = 1; level < node.weight; level *= radix)
    node.for_each_child(
        level, [&](int child) { b.recv(team.rank(child), place(child, node.subtree(child, level))); });
  if (node.member != 0)
    b.send(team.rank(node.parent()), place(node.member, node.subtree(node.member, node.weight)));
}

void knomial_reduce(Builder& b, const Team& team, int radix, const Workspace& workspace) {
  const Node node(team.member(b.rank()), team.size, radix);
  const int m = b.blocks();
  if (node.is_leaf() && node.member != 0) return b.send(team.rank(node.parent()), input(0, m));
  const BlockRange partial = workspace.partial.at(0, m);
  b.copy(partial, input(0, m));
  for (long level = 1; level < node.weight; level *= radix) {
    int sibling = 0;
    node.for_each_child(level, [&](int child) {
      // The partial result may lie in the second copy of scratch.
      const BlockRange incoming = workspace.incoming.at((sibling == 0 ? 0 : sibling + 1) * m, m);
      b.recv(team.rank(child), incoming);
      b.reduce(partial, incoming, OperandOrder::into_first);
      ++sibling;
    });
  }
  if (node.member != 0) b.send(team.rank(node.parent()), partial);
}

}  // namespace tutti::inline core
