// Bine trees and butterflies: as binomial ones, but partners lie (1 − (−2)^(k+1)) / 3 apart instead
// of 2^k, to either side in turn. Messages go two thirds as far, so that fewer of them leave a
// group of neighbours, and the largest go to the next rank. Any number of ranks: a tree halves what
// there is, a butterfly is cut out of the next power of two. Blocks stay in their places.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/bine_tree.hpp"
#include "core/algorithms/patterns/butterfly.hpp"

namespace tutti::inline core::families {
namespace {

Exchanges exchanges(const Builder& b) {
  return by_butterfly(b.ranks(), b.rank(), bine_partner);
}

void gather_all(Builder& b, const Arguments&) {
  allgather(b, exchanges(b));
}

void scatter_reduced(Builder& b, const Arguments&) {
  reduce_scatter(b, exchanges(b));
}

void reduce_all(Builder& b, const Arguments&) {
  allreduce(b, exchanges(b));
}

// A tree as this rank sees it.
struct Tree {
  explicit Tree(const Builder& b) : Tree(b, b.root()) {}
  Tree(const Builder& b, Rank root)
      : team{b.ranks(), root}, me(team.member(b.rank())), edges(bine_edges(team.size, me)) {}

  bool is_leaf() const { return me != 0 && edges.size() == 1; }
  bool is_parent(const TreeEdge& edge) const { return edge.parent == me; }
  Rank other(const TreeEdge& edge) const { return team.rank(is_parent(edge) ? edge.child : edge.parent); }
  // The blocks of the ranks below.
  Ranges below(const TreeEdge& edge, const Vector& where) const {
    return where.cyclic(edge.below.first + team.root, edge.below.count, team.size);
  }

  Team team;
  int me;
  std::vector<TreeEdge> edges;  // from the root down
};

// Every rank's block from the root, and back.
void scatter_down(Builder& b, const Tree& tree, const Vector& where) {
  for (const TreeEdge& edge : tree.edges) {
    b.next_round();
    if (tree.is_parent(edge))
      b.send(tree.other(edge), tree.below(edge, where));
    else
      b.recv(tree.other(edge), tree.below(edge, where));
  }
}

void gather_up(Builder& b, const Tree& tree, const Vector& where) {
  for (auto edge = tree.edges.rbegin(); edge != tree.edges.rend(); ++edge) {
    if (tree.is_parent(*edge))
      b.recv(tree.other(*edge), tree.below(*edge, where));
    else
      b.send(tree.other(*edge), tree.below(*edge, where));
  }
}

// The root has all blocks in `of_root`, a leaf its own in `own`, inner nodes keep them in scratch.
Vector place(const Builder& b, const Tree& tree, Buffer own, Buffer of_root) {
  return {b.rank() == b.root() ? of_root : tree.is_leaf() ? own : Buffer::scratch};
}

void gather(Builder& b, const Arguments&) {
  const Tree tree(b);
  const Vector where = place(b, tree, Buffer::input, Buffer::output);
  if (where.buffer != Buffer::input) b.copy(where.at(b.rank()), input(b.rank()));
  gather_up(b, tree, where);
}

void scatter(Builder& b, const Arguments&) {
  const Tree tree(b);
  const Vector where = place(b, tree, Buffer::output, Buffer::input);
  scatter_down(b, tree, where);
  if (where.buffer != Buffer::output) b.copy(output(b.rank()), where.at(b.rank()));
}

void bcast_scattered(Builder& b, const Arguments&) {
  scatter_down(b, Tree(b), {Buffer::output});
  allgather(b, Team{b.ranks()}, exchanges(b));
}

void bcast(Builder& b, const Arguments&) {
  const Tree tree(b);
  for (const TreeEdge& edge : tree.edges) {
    b.next_round();
    if (tree.is_parent(edge))
      b.send(tree.other(edge), output(0, b.blocks()));
    else
      b.recv(tree.other(edge), output(0, b.blocks()));
  }
}

void reduce_up(Builder& b, const Tree& tree, const Workspace& space) {
  const int m = b.blocks();
  if (tree.is_leaf()) return b.send(tree.other(tree.edges.front()), input(0, m));
  const BlockRange partial = space.partial.at(0, m), incoming = space.incoming.at(0, m);
  b.copy(partial, input(0, m));
  for (auto edge = tree.edges.rbegin(); edge != tree.edges.rend(); ++edge) {
    if (!tree.is_parent(*edge)) return b.send(tree.other(*edge), partial);
    b.recv(tree.other(*edge), incoming);
    b.reduce(partial, incoming, edge->is_after_parent ? OperandOrder::into_first : OperandOrder::from_first);
  }
}

// Where operands have to keep their order the circle is cut before rank 0, which makes another rank
// the tree's root: it hands the result on.
void reduce(Builder& b, const Arguments&) {
  const Tree tree(b, b.shape().commutative ? b.root() : -bine_first(b.ranks()));
  const Rank top = tree.team.root;
  const Workspace space = workspace(b);
  reduce_up(b, tree, space);
  if (top == b.root()) return;
  if (b.rank() == top) b.send(b.root(), space.partial.at(0, b.blocks()));
  if (b.rank() == b.root()) b.recv(top, output(0, b.blocks()));
}

void reduce_scattered(Builder& b, const Arguments&) {
  const Workspace space = workspace(b);
  reduce_scatter(b, Team{b.ranks()}, exchanges(b), space);
  gather_up(b, Tree(b), space.partial);
}

// Closed forms of what halves or doubles hold on powers of two.
std::optional<Cost> cost_of_halves(int p, double times, bool reduces) {
  if (!is_power_of_two(p)) return std::nullopt;
  const double share = (p - 1.0) / p;
  return Cost{times * ceil_log2(p), times * share, reduces ? share : 0};
}

// Exchanges of halves.
Algorithm by_halves(Collective collective, std::string_view name, std::string_view summary,
                    void (*generate)(Builder&, const Arguments&),
                    std::optional<Cost> (*cost)(int, const Arguments&)) {
  return {.collective = collective,
          .name = name,
          .summary = summary,
          .wins = "networks whose middle is narrow",
          .source = bine_source,
          .commutative_only = traits(collective).reduces,
          .relays = collective == Collective::gather || collective == Collective::scatter,
          .blocks = block_a_rank,
          .generate = generate,
          .cost = cost};
}

}  // namespace

Family bine() {
  constexpr auto once = [](int p, const Arguments&) { return cost_of_halves(p, 1, false); };
  constexpr auto once_reduced = [](int p, const Arguments&) { return cost_of_halves(p, 1, true); };
  constexpr auto twice = [](int p, const Arguments&) { return cost_of_halves(p, 2, false); };
  constexpr auto twice_reduced = [](int p, const Arguments&) { return cost_of_halves(p, 2, true); };
  return {
      {.collective = Collective::bcast,
       .name = "bine",
       .summary = "down a Bine tree, the whole vector at once",
       .wins = "short messages, networks whose middle is narrow",
       .source = bine_source,
       .blocks = one_block,
       .generate = bcast,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         const double q = ceil_log2(p);
         return Cost{q, q, 0};
       }},
      {.collective = Collective::reduce,
       .name = "bine",
       .summary = "up a Bine tree, the whole vector at once",
       .wins = "short vectors, networks whose middle is narrow",
       .source = bine_source,
       .keeps_fixed_order = on_powers_of_two,
       .blocks = one_block,
       .generate = reduce,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         const double q = ceil_log2(p);
         return Cost{q, q, q};
       }},
      by_halves(Collective::bcast, "bine_scatter_allgather",
                "scatter down a Bine tree, allgather by a Bine butterfly", bcast_scattered, twice),
      by_halves(Collective::reduce, "bine_reduce_scatter_gather",
                "reduce-scatter by a Bine butterfly, gather up a Bine tree", reduce_scattered, twice_reduced),
      by_halves(Collective::gather, "bine", "up a Bine tree, subtrees' blocks together", gather, once),
      by_halves(Collective::scatter, "bine", "down a Bine tree, subtrees' blocks together", scatter, once),
      by_halves(Collective::allgather, "bine", "a Bine butterfly, from the farthest partner to the nearest",
                gather_all, once),
      by_halves(Collective::reduce_scatter_block, "bine",
                "a Bine butterfly, from the nearest partner to the farthest", scatter_reduced, once_reduced),
      by_halves(Collective::allreduce, "bine", "reduce-scatter, then allgather, by a Bine butterfly",
                reduce_all, twice_reduced),
  };
}

}  // namespace tutti::inline core::families
