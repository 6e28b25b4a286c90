// K-nomial trees, binomial ones for radix 2: ⌈log_k p⌉ levels, k − 1 messages a node and level
// under way together. A larger radix makes the tree flatter and its nodes busier.

#include "core/algorithms/patterns/knomial.hpp"

#include "core/algorithms/algorithm.hpp"

namespace tutti::inline core::families {
namespace {

// `binomial` has no parameter.
int radix_of(const Arguments& arguments) {
  return arguments.has("radix") ? arguments.number("radix") : 2;
}

void bcast(Builder& b, const Arguments& arguments) {
  knomial_bcast(b, Team{b.ranks(), b.root()}, radix_of(arguments));
}

// Where the blocks of a subtree are: the root has them all in `of_root`, a leaf its own in `own`,
// inner nodes keep them in scratch. The subtree's ranks may wrap round the last one.
struct Place {
  Place(const Builder& b, const Team& t, int radix, Buffer own_buffer, Buffer of_root)
      : team(t), buffer(Buffer::scratch) {
    if (b.rank() == team.root)
      buffer = of_root;
    else if (knomial_subtree(team, team.member(b.rank()), radix) == 1)
      buffer = own_buffer;
  }
  Ranges operator()(int first, int count) const { return cyclic(buffer, team.rank(first), count, team.size); }

  Team team;
  Buffer buffer;
};

void gather(Builder& b, const Arguments& arguments) {
  const Team team{b.ranks(), b.root()};
  const Place place(b, team, radix_of(arguments), Buffer::input, Buffer::output);
  if (place.buffer != Buffer::input) b.copy({place.buffer, b.rank(), 1}, input(b.rank()));
  knomial_gather(b, team, radix_of(arguments), place);
}

void scatter(Builder& b, const Arguments& arguments) {
  const Team team{b.ranks(), b.root()};
  const Place place(b, team, radix_of(arguments), Buffer::output, Buffer::input);
  knomial_scatter(b, team, radix_of(arguments), place);
  if (place.buffer != Buffer::output) b.copy(output(b.rank()), {place.buffer, b.rank(), 1});
}

// Where operands have to keep their order the tree is rooted at rank 0, which hands the result on.
void reduce(Builder& b, const Arguments& arguments) {
  const Team team{b.ranks(), b.shape().commutative ? b.root() : 0};
  const Workspace space = workspace(b);
  knomial_reduce(b, team, radix_of(arguments), space);
  if (team.root == b.root()) return;
  if (b.rank() == team.root) b.send(b.root(), space.partial.at(0, b.blocks()));
  if (b.rank() == b.root()) b.recv(team.root, output(0, b.blocks()));
}

void allreduce(Builder& b, const Arguments& arguments) {
  const Team team{b.ranks()};
  knomial_reduce(b, team, radix_of(arguments), workspace(b));
  knomial_bcast(b, team, radix_of(arguments));
}

constexpr std::string_view bar_noy_1994 =
    "Bar-Noy, Kipnis, Designing Broadcasting Algorithms in the Postal Model for Message-Passing Systems, "
    "1994";

std::vector<Parameter> radix_parameter() {
  return {{"radix", "children a level, plus one", {"4", "3", "8"}, true, 2}};
}

// n bytes in each of ⌈log2 p⌉ rounds.
std::optional<Cost> binomial_bcast_cost(int p, const Arguments&) {
  const double q = ceil_log2(p);
  return Cost{q, q, 0};
}
std::optional<Cost> binomial_reduce_cost(int p, const Arguments&) {
  const double q = ceil_log2(p);
  return Cost{q, q, q};
}
std::optional<Cost> binomial_blocks_cost(int p, const Arguments&) {
  if (!is_power_of_two(p)) return std::nullopt;
  return Cost{double(ceil_log2(p)), (p - 1.0) / p, 0};
}

}  // namespace

Family knomial() {
  return {
      {.collective = Collective::bcast,
       .name = "binomial",
       .summary = "down a binomial tree, the whole vector at once",
       .wins = "short messages",
       .source = thakur_2005,
       .section = "4.2",
       .blocks = one_block,
       .generate = bcast,
       .cost = binomial_bcast_cost},
      {.collective = Collective::bcast,
       .name = "knomial",
       .summary = "down a k-nomial tree, the whole vector at once",
       .wins = "short messages where a port takes several at once",
       .source = bar_noy_1994,
       .parameters = radix_parameter(),
       .blocks = one_block,
       .generate = bcast},
      {.collective = Collective::gather,
       .name = "binomial",
       .summary = "up a binomial tree, subtrees' blocks together",
       .wins = "short blocks",
       .source = thakur_2005,
       .section = "5.1",
       .relays = true,
       .blocks = block_a_rank,
       .generate = gather,
       .cost = binomial_blocks_cost},
      {.collective = Collective::gather,
       .name = "knomial",
       .summary = "up a k-nomial tree, subtrees' blocks together",
       .wins = "short and medium blocks",
       .source = bar_noy_1994,
       .parameters = radix_parameter(),
       .relays = true,
       .blocks = block_a_rank,
       .generate = gather},
      {.collective = Collective::scatter,
       .name = "binomial",
       .summary = "down a binomial tree, subtrees' blocks together",
       .wins = "short blocks",
       .source = thakur_2005,
       .section = "4.2",
       .relays = true,
       .blocks = block_a_rank,
       .generate = scatter,
       .cost = binomial_blocks_cost},
      {.collective = Collective::scatter,
       .name = "knomial",
       .summary = "down a k-nomial tree, subtrees' blocks together",
       .wins = "short and medium blocks",
       .source = bar_noy_1994,
       .parameters = radix_parameter(),
       .relays = true,
       .blocks = block_a_rank,
       .generate = scatter},
      {.collective = Collective::reduce,
       .name = "binomial",
       .summary = "up a binomial tree, the whole vector at once",
       .wins = "short vectors",
       .source = thakur_2005,
       .section = "4.5",
       .keeps_fixed_order = on_any_ranks,
       .blocks = one_block,
       .generate = reduce,
       .cost = binomial_reduce_cost},
      {.collective = Collective::reduce,
       .name = "knomial",
       .summary = "up a k-nomial tree, the whole vector at once",
       .wins = "short vectors where a port takes several messages at once",
       .source = bar_noy_1994,
       .parameters = radix_parameter(),
       .blocks = one_block,
       .generate = reduce},
      {.collective = Collective::allreduce,
       .name = "reduce_bcast",
       .summary = "binomial reduce to rank 0, then binomial broadcast",
       .wins = "a baseline: short messages off the powers of two",
       .source = thakur_2005,
       .section = "4.5",
       .keeps_fixed_order = on_any_ranks,
       .blocks = one_block,
       .generate = allreduce,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         const double q = ceil_log2(p);
         return Cost{2 * q, 2 * q, q};
       }},
      {.collective = Collective::allreduce,
       .name = "knomial",
       .summary = "k-nomial reduce to rank 0, then k-nomial broadcast",
       .wins = "short vectors where a port takes several messages at once",
       .source = bar_noy_1994,
       .parameters = radix_parameter(),
       .blocks = one_block,
       .generate = allreduce},
  };
}

}  // namespace tutti::inline core::families
