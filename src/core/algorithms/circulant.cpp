// The circulant family: in every round all ranks do the same, each with the ranks a skip away on
// either side, and the skips halve p. For any p, without an extra step off the powers of two:
//   allgather, reduce_scatter_block  ⌈log2 p⌉ rounds and the least possible volume
//   allreduce                        the two one after the other
//   bcast, reduce                    m blocks in m − 1 + ⌈log2 p⌉ rounds, the least possible; every block
//                                    travels a tree of its own, and the reduction is the broadcast backwards

#include "core/algorithms/patterns/circulant.hpp"

#include "core/algorithms/algorithm.hpp"

namespace tutti::inline core::families {
namespace {

constexpr std::string_view in_rounds =
    "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024";
constexpr std::string_view in_blocks = "Träff, Optimal Broadcast Schedules in Logarithmic Time, 2024";

Exchanges exchanges(const Builder& b, const Arguments& arguments) {
  return circulant_exchanges(b.ranks(), b.rank(), largest(arguments));
}

void gather_all(Builder& b, const Arguments& arguments) {
  allgather(b, exchanges(b, arguments));
}

void scatter_reduced(Builder& b, const Arguments& arguments) {
  reduce_scatter(b, exchanges(b, arguments));
}

void reduce_all(Builder& b, const Arguments& arguments) {
  allreduce(b, exchanges(b, arguments));
}

std::vector<Parameter> block_parameters() {
  return {
      {"n_half",
       "bytes whose transfer takes as long as a message's latency (alpha / beta); the vector of n bytes is "
       "cut into sqrt((q - 1) n / n_half) blocks",
       {"1024", "512", "2048", "4096", "16384"},
       true,
       1,
       true}};
}

int count_blocks(int ranks, const Arguments& arguments, std::size_t bytes) {
  return circulant_blocks(ranks, bytes, arguments.number("n_half"));
}

void bcast(Builder& b, const Arguments&) {
  const Team team{b.ranks(), b.root()};
  for (const CirculantRound& round : circulant_rounds(b.ranks(), team.member(b.rank()), b.blocks())) {
    b.next_round();
    if (round.from >= 0) b.recv(team.rank(round.from), output(round.incoming));
    if (round.to >= 0) b.send(team.rank(round.to), output(round.outgoing));
  }
}

// A block goes to where it came from in the broadcast, with all that was collected on the way.
void reduce(Builder& b, const Arguments&) {
  const Team team{b.ranks(), b.root()};
  const Workspace space = workspace(b);
  const auto rounds = circulant_rounds(b.ranks(), team.member(b.rank()), b.blocks());
  b.copy(space.partial.at(0, b.blocks()), input(0, b.blocks()));
  for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
    b.next_round();
    if (round->to >= 0) b.recv(team.rank(round->to), space.incoming.at(round->outgoing));
    if (round->from >= 0) b.send(team.rank(round->from), space.partial.at(round->incoming));
    if (round->to >= 0)
      b.reduce(space.partial.at(round->outgoing), space.incoming.at(round->outgoing),
               OperandOrder::from_first);
  }
}

}  // namespace

Family circulant() {
  return {
      {.collective = Collective::bcast,
       .name = "circulant",
       .summary = "blocks spread by skips that halve p, a new one every round",
       .wins = "all but the shortest messages, any number of ranks",
       .source = in_blocks,
       .parameters = block_parameters(),
       .blocks = count_blocks,
       .generate = bcast},
      {.collective = Collective::allgather,
       .name = "circulant",
       .summary = "everybody exchanges with ranks a skip away on either side, by skips that halve p",
       .wins = "short and medium messages, any number of ranks",
       .source = in_rounds,
       .parameters = {largest_parameter()},
       .blocks = block_a_rank,
       .generate = gather_all,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{double(ceil_log2(p)), (p - 1.0) / p, 0};
       }},
      {.collective = Collective::reduce,
       .name = "circulant",
       .summary = "the circulant broadcast backwards: blocks are combined on their way to the root",
       .wins = "all but the shortest vectors, any number of ranks",
       .source = in_blocks,
       .parameters = block_parameters(),
       .commutative_only = true,
       .blocks = count_blocks,
       .generate = reduce},
      {.collective = Collective::allreduce,
       .name = "circulant",
       .summary = "reduce-scatter, then allgather, by skips that halve p",
       .wins = "all but the shortest messages, any number of ranks",
       .source = in_rounds,
       .parameters = {largest_parameter()},
       .commutative_only = true,
       .blocks = block_a_rank,
       .generate = reduce_all,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{2.0 * ceil_log2(p), 2.0 * (p - 1) / p, (p - 1.0) / p};
       }},
      {.collective = Collective::reduce_scatter_block,
       .name = "circulant",
       .summary = "partial results travel by skips that halve p",
       .wins = "short and medium vectors, any number of ranks",
       .source = in_rounds,
       .parameters = {largest_parameter()},
       .commutative_only = true,
       .blocks = block_a_rank,
       .generate = scatter_reduced,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{double(ceil_log2(p)), (p - 1.0) / p, (p - 1.0) / p};
       }},
  };
}

}  // namespace tutti::inline core::families
