// Reductions of long vectors by halves: reduce-scatter by vector halving and distance doubling,
// then the way back, for everybody (allreduce) or to the root only (reduce). Twice the vector in
// volume, each element reduced once a rank. Off the powers of two the surplus ranks first halve the
// vector with their neighbours, so that both work; the binary blocks variant lets groups of powers
// of two work apart instead and combines their results.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/fold.hpp"
#include "core/algorithms/patterns/halving.hpp"

namespace tutti::inline core::families {
namespace {

int power_of_two_blocks(int ranks, const Arguments&, std::size_t) {
  return power_of_two_below(ranks);
}

void allreduce(Builder& b, const Arguments&) {
  const Fold fold(b.ranks());
  const Workspace space = workspace(b);
  const BlockRange all = output(0, b.blocks());
  b.copy(all, input(0, b.blocks()));
  fold_pairs(b, fold, space, b.blocks());
  if (fold.steps_aside(b.rank())) {
    b.next_round();
    return b.recv(Fold::neighbour(b.rank()), all);
  }
  const Hypercube cube = fold.hypercube(b.rank());
  halving_reduce_scatter(b, cube, space);
  doubling_allgather(b, cube);
  b.next_round();
  if (fold.in_pair(b.rank())) b.send(Fold::neighbour(b.rank()), all);
}

void reduce(Builder& b, const Arguments&) {
  const Fold fold(b.ranks(), b.root());
  const Workspace space = workspace(b);
  b.copy(space.partial.at(0, b.blocks()), input(0, b.blocks()));
  fold_pairs(b, fold, space, b.blocks());
  if (fold.steps_aside(b.rank())) return;
  const Hypercube cube = fold.hypercube(b.rank());
  halving_reduce_scatter(b, cube, space);
  doubling_gather(b, cube, fold.member(b.root()), space);
}

// A group of consecutive ranks, a power of two of them.
struct Group {
  Rank first;
  int size;
};

// The groups that the binary digits of p stand for, the largest first.
std::vector<Group> binary_groups(int ranks) {
  std::vector<Group> groups;
  for (Rank first = 0; first < ranks;) {
    groups.push_back({first, power_of_two_below(ranks - first)});
    first += groups.back().size;
  }
  return groups;
}

// Each group reduces and scatters for itself; from the smallest group on partial results go to the
// next larger one, cut into that one's stretches. Complete stretches come back the same way.
void binary_blocks(Builder& b, const Arguments&) {
  const Workspace space = workspace(b);
  const auto groups = binary_groups(b.ranks());
  std::size_t mine = 0;
  while (b.rank() >= groups[mine].first + groups[mine].size) ++mine;
  const Group group = groups[mine];
  const Hypercube cube{group.size, b.rank() - group.first,
                       [group](int member) { return group.first + member; }};
  const Stretch own = halved_stretches(cube.me, cube.size, b.blocks()).back();

  // The members of the larger group whose stretches together are mine, and the member of the
  // smaller group whose stretch mine is part of.
  const auto for_each_in_larger = [&](auto&& visit) {
    if (mine == 0) return;
    const Group larger = groups[mine - 1];
    for (int member = cube.me; member < larger.size; member += cube.size)
      visit(larger.first + member, halved_stretches(member, larger.size, b.blocks()).back());
  };
  const bool has_smaller = mine + 1 < groups.size();
  const Rank in_smaller = has_smaller ? groups[mine + 1].first + cube.me % groups[mine + 1].size : -1;

  b.copy(output(0, b.blocks()), input(0, b.blocks()));
  halving_reduce_scatter(b, cube, space);
  if (has_smaller) {
    b.recv(in_smaller, space.incoming.at(own.first, own.count));
    b.reduce(output(own.first, own.count), space.incoming.at(own.first, own.count), OperandOrder::into_first);
  }
  for_each_in_larger([&](Rank rank, Stretch s) { b.send(rank, output(s.first, s.count)); });
  for_each_in_larger([&](Rank rank, Stretch s) { b.recv(rank, output(s.first, s.count)); });
  if (has_smaller) b.send(in_smaller, output(own.first, own.count));
  doubling_allgather(b, cube);
}

}  // namespace

Family rabenseifner() {
  return {
      {.collective = Collective::reduce,
       .name = "rabenseifner",
       .summary = "reduce-scatter by halving, gather to the root by doubling",
       .wins = "long vectors",
       .source = thakur_2005,
       .section = "5.1",
       .keeps_fixed_order = on_powers_of_two,
       .blocks = power_of_two_blocks,
       .generate = reduce,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         if (!is_power_of_two(p)) return std::nullopt;
         return Cost{2.0 * ceil_log2(p), 2.0 * (p - 1) / p, (p - 1.0) / p};
       }},
      {.collective = Collective::allreduce,
       .name = "rabenseifner",
       .summary = "reduce-scatter by halving, allgather by doubling",
       .wins = "long vectors, powers of two",
       .source = thakur_2005,
       .section = "5.1",
       .keeps_fixed_order = on_powers_of_two,
       .blocks = power_of_two_blocks,
       .generate = allreduce,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         const double q = floor_log2(p), part = 1.0 / power_of_two_below(p);
         if (is_power_of_two(p)) return Cost{2 * q, 2 - 2 * part, 1 - part};
         return Cost{2 * q + 3, 4 - 2 * part, 1.5 - part};
       }},
      {.collective = Collective::allreduce,
       .name = "binary_blocks",
       .summary = "groups of powers of two reduce and scatter apart, then combine",
       .wins = "long vectors where the binary digits of p lie close together",
       .source = thakur_2005,
       .section = "5.2",
       .keeps_fixed_order = on_any_ranks,
       .blocks = power_of_two_blocks,
       .generate = binary_blocks,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         if (!is_power_of_two(p)) return std::nullopt;
         return Cost{2.0 * ceil_log2(p), 2.0 * (p - 1) / p, (p - 1.0) / p};
       }},
  };
}

}  // namespace tutti::inline core::families
