// Reduce-scatter, apart from the circulant one (circulant.cpp).

#include <utility>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/butterfly.hpp"
#include "core/algorithms/patterns/fold.hpp"
#include "core/algorithms/patterns/knomial.hpp"

namespace tutti::inline core::families {
namespace {

// The ranks that remain when neighbours fold to a power of two, each with its own and its
// neighbour's input as partial result.
struct Members {
  Fold fold;
  Workspace space;
  int me;

  // The blocks of the ranks that members [first, end) stand for: consecutive, because neighbours
  // fold.
  Stretch blocks(int first, int end) const { return {begin(first), begin(end) - begin(first)}; }
  int begin(int member) const { return member < fold.surplus ? 2 * member : member + fold.surplus; }
};

// `exchange(members)` completes the members' blocks. A rank that steps aside gives all it has to
// its neighbour before and gets its block from it after.
template <typename Exchange>
void among_members(Builder& b, Exchange exchange) {
  const Fold fold(b.ranks());
  const Rank me = b.rank(), neighbour = Fold::neighbour(me);
  if (fold.steps_aside(me)) {
    b.send(neighbour, input(0, b.blocks()));
    b.next_round();
    b.recv(neighbour, output(me));
    return;
  }
  const Members members{fold, workspace(b), fold.member(me)};
  const BlockRange partial = members.space.partial.at(0, b.blocks());
  b.copy(partial, input(0, b.blocks()));
  if (fold.in_pair(me)) {
    const BlockRange incoming = members.space.incoming.at(0, b.blocks());
    b.recv(neighbour, incoming);
    b.reduce(partial, incoming, OperandOrder::into_first);
  }
  exchange(members);
  b.copy(output(me), members.space.partial.at(me));
  b.next_round();
  if (fold.in_pair(me)) b.send(neighbour, members.space.partial.at(neighbour));
}

void recursive_halving(Builder& b, const Arguments& arguments) {
  if (largest(arguments) == Largest::near)
    return reduce_scatter(b, by_butterfly(b.ranks(), b.rank(), digit_partner));
  among_members(b, [&b](const Members& members) {
    const auto& [fold, space, me] = members;
    for (int first = 0, size = fold.size; size > 1; size /= 2) {
      const int middle = first + size / 2;
      const bool lower = me < middle;
      const Rank partner = fold.rank(lower ? me + size / 2 : me - size / 2);
      const Stretch low = members.blocks(first, middle), high = members.blocks(middle, first + size);
      const Stretch keep = lower ? low : high, give = lower ? high : low;
      b.next_round();
      b.recv(partner, space.incoming.at(keep.first, keep.count));
      b.send(partner, space.partial.at(give.first, give.count));
      b.reduce(space.partial.at(keep.first, keep.count), space.incoming.at(keep.first, keep.count),
               OperandOrder::from_first);
      if (!lower) first = middle;
    }
  });
}

// Groups of members that double: partners exchange all that the other one, or a group it is still
// to meet, can use. Neighbouring groups' results are combined, so that the order of operands is
// kept.
void recursive_doubling(Builder& b, const Arguments&) {
  among_members(b, [&b](const Members& members) {
    const auto& [fold, space, me] = members;
    for (int distance = 1; distance < fold.size; distance *= 2) {
      const int partner = me ^ distance;
      // What both groups together no longer need, but for the partners' own blocks.
      const int first = me & -(2 * distance), end = first + 2 * distance, size = fold.size;
      const auto useful_to = [&members, first, end, size](int member, const Vector& where) {
        Ranges ranges;
        for (const auto& [from, to] : {std::pair{0, first}, {member, member + 1}, {end, size}}) {
          const Stretch stretch = members.blocks(from, to);
          ranges.add(where.at(stretch.first, stretch.count));
        }
        return ranges;
      };
      const Ranges mine = useful_to(me, space.partial), theirs = useful_to(me, space.incoming);
      b.next_round();
      b.recv(fold.rank(partner), theirs);
      b.send(fold.rank(partner), useful_to(partner, space.partial));
      for (auto into = mine.begin(), from = theirs.begin(); into != mine.end(); ++into, ++from)
        b.reduce(*into, *from, partner > me ? OperandOrder::into_first : OperandOrder::from_first);
    }
  });
}

// Where operands have to keep their order, what comes from lower ranks, in descending order, is put
// in front, and what comes from higher ranks makes a second result, to be put behind.
void pairwise(Builder& b, const Arguments&) {
  const int p = b.ranks();
  const Rank me = b.rank();
  const BlockRange result = output(me), behind = scratch(me), incoming = scratch(p + me);
  const bool ordered = !b.shape().commutative;
  b.copy(result, input(me));
  for (int round = 1; round < p; ++round) {
    const Rank to = (me + round) % p, from = (me - round + p) % p;
    const bool begins_behind = ordered && from > me && from == p - 1;
    b.next_round();
    b.recv(from, begins_behind ? behind : incoming);
    b.send(to, input(to));
    if (!begins_behind) b.reduce(ordered && from > me ? behind : result, incoming, OperandOrder::from_first);
  }
  if (ordered && me != p - 1) b.reduce(result, behind, OperandOrder::into_first);
}

void reduce_scatterv(Builder& b, const Arguments&) {
  const Workspace space = workspace(b);
  knomial_reduce(b, Team{b.ranks()}, 2, space);
  b.next_round();
  if (b.rank() != 0) return b.recv(0, output(b.rank()));
  b.copy(output(0), space.partial.at(0));
  for (Rank to = 1; to < b.ranks(); ++to) b.send(to, space.partial.at(to));
}

}  // namespace

Family reduce_scatter() {
  return {
      {.collective = Collective::reduce_scatter_block,
       .name = "recursive_halving",
       .summary = "partners exchange the halves of what they still hold",
       .wins = "short and medium vectors, powers of two",
       .source = thakur_2005,
       .section = "4.4",
       .parameters = {largest_parameter()},
       .commutative_only = true,
       .blocks = block_a_rank,
       .generate = recursive_halving,
       .cost = [](int p, const Arguments& arguments) -> std::optional<Cost> {
         const double q = floor_log2(p);
         if (is_power_of_two(p)) return Cost{q, (p - 1.0) / p, (p - 1.0) / p};
         if (largest(arguments) == Largest::near) return std::nullopt;
         return Cost{q + 2, 2, 1 + (p - 1.0) / p};
       }},
      {.collective = Collective::reduce_scatter_block,
       .name = "recursive_doubling",
       .summary = "partners at doubling distance exchange all that is still needed",
       .wins = "short vectors, operations that do not commute",
       .source = thakur_2005,
       .section = "4.4",
       .keeps_fixed_order = on_powers_of_two,
       .blocks = block_a_rank,
       .generate = recursive_doubling,
       // The paper's partners exchange n − d·n/p at distance d. What the partner's group needs of
       // its own blocks, but for the partner's, is of no use to the partner and not sent here.
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         if (!is_power_of_two(p)) return std::nullopt;
         const double q = ceil_log2(p), volume = q + (q - 2 * (p - 1.0)) / p;
         return Cost{q, volume, volume};
       }},
      {.collective = Collective::reduce_scatter_block,
       .name = "pairwise",
       .summary = "a round for each distance: everybody gets its block from one rank after the other",
       .wins = "long vectors",
       .source = thakur_2005,
       .section = "4.4",
       .blocks = block_a_rank,
       .generate = pairwise,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{p - 1.0, (p - 1.0) / p, (p - 1.0) / p};
       }},
      {.collective = Collective::reduce_scatter_block,
       .name = "reduce_scatterv",
       .summary = "binomial reduce to rank 0, which sends everybody its block",
       .wins = "a baseline: very short vectors",
       .source = thakur_2005,
       .section = "4.4",
       .keeps_fixed_order = on_any_ranks,
       .blocks = block_a_rank,
       .generate = reduce_scatterv,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         const double q = ceil_log2(p);
         return Cost{q + p - 1, q + (p - 1.0) / p, q};
       }},
  };
}

}  // namespace tutti::inline core::families
