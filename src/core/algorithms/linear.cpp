// Every message straight from its first to its last rank, all of them posted at once: what
// libraries do without further thought. The least volume where data differ by pair of ranks, and p
// − 1 messages through the busiest port.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core::families {
namespace {

constexpr std::string_view pjesivac_2007 =
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra, Performance Analysis of MPI Collective "
    "Operations, 2007";
constexpr std::string_view benson_2003 =
    "Benson, Chu, Huang, Caglar, A Comparison of MPICH Allgather Algorithms on Switched Networks, 2003";

// The ranks after this one, round the circle: so that not all turn to rank 0 first.
void for_each_other(const Builder& b, auto&& visit) {
  for (int i = 1; i < b.ranks(); ++i) visit((b.rank() + i) % b.ranks());
}

void bcast(Builder& b, const Arguments&) {
  if (b.rank() != b.root()) return b.recv(b.root(), output(0));
  for_each_other(b, [&](Rank to) { b.send(to, output(0)); });
}

void gather(Builder& b, const Arguments&) {
  if (b.rank() != b.root()) return b.send(b.root(), input(b.rank()));
  b.copy(output(b.rank()), input(b.rank()));
  for_each_other(b, [&](Rank from) { b.recv(from, output(from)); });
}

void scatter(Builder& b, const Arguments&) {
  if (b.rank() != b.root()) return b.recv(b.root(), output(b.rank()));
  b.copy(output(b.rank()), input(b.rank()));
  for_each_other(b, [&](Rank to) { b.send(to, input(to)); });
}

void allgather(Builder& b, const Arguments&) {
  b.copy(output(b.rank()), input(b.rank()));
  for (Rank other = 0; other < b.ranks(); ++other) {
    if (other == b.rank()) continue;
    b.recv(other, output(other));
    b.send(other, input(b.rank()));
  }
}

void spreading_allgather(Builder& b, const Arguments&) {
  b.copy(output(b.rank()), input(b.rank()));
  for_each_other(b, [&](Rank to) {
    const Rank from = (2 * b.rank() - to + 2 * b.ranks()) % b.ranks();  // as far away on the other side
    b.recv(from, output(from));
    b.send(to, input(b.rank()));
  });
}

void alltoall(Builder& b, const Arguments&) {
  b.copy(output(b.rank()), input(b.rank()));
  for_each_other(b, [&](Rank to) {
    const Rank from = (2 * b.rank() - to + 2 * b.ranks()) % b.ranks();
    b.recv(from, output(from));
    b.send(to, input(to));
  });
}

// The root takes one vector after the other, in an order that keeps the operands' order; two of
// them may be under way.
void reduce(Builder& b, const Arguments&) {
  const int m = b.blocks();
  if (b.rank() != b.root()) return b.send(b.root(), input(0, m));
  b.copy(output(0, m), input(0, m));
  int turn = 0;
  const auto add = [&](Rank from, OperandOrder order) {
    const BlockRange incoming = scratch(turn++ % 2 * m, m);
    b.recv(from, incoming);
    b.reduce(output(0, m), incoming, order);
  };
  for (Rank from = b.rank() + 1; from < b.ranks(); ++from) add(from, OperandOrder::into_first);
  for (Rank from = b.rank() - 1; from >= 0; --from) add(from, OperandOrder::from_first);
}

std::optional<Cost> blocks_through_one_port(int p, const Arguments&) {
  return Cost{p - 1.0, (p - 1.0) / p, 0};
}

// Off the powers of two messages that come first get in each other's way.
std::optional<Cost> blocks_through_all_ports(int p, const Arguments& arguments) {
  return is_power_of_two(p) ? blocks_through_one_port(p, arguments) : std::nullopt;
}

}  // namespace

Family linear() {
  return {
      {.collective = Collective::bcast,
       .name = "linear",
       .summary = "the root sends the whole vector to everybody at once",
       .wins = "very few ranks",
       .source = pjesivac_2007,
       .blocks = one_block,
       .generate = bcast,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{p - 1.0, p - 1.0, 0};
       }},
      {.collective = Collective::gather,
       .name = "linear",
       .summary = "everybody sends its block to the root at once",
       .wins = "long blocks, or few ranks",
       .source = pjesivac_2007,
       .blocks = block_a_rank,
       .generate = gather,
       .cost = blocks_through_one_port},
      {.collective = Collective::scatter,
       .name = "linear",
       .summary = "the root sends everybody its block at once",
       .wins = "long blocks, or few ranks",
       .source = pjesivac_2007,
       .blocks = block_a_rank,
       .generate = scatter,
       .cost = blocks_through_one_port},
      {.collective = Collective::allgather,
       .name = "linear",
       .summary = "everybody sends its block to everybody at once, to rank 0 first",
       .wins = "very few ranks",
       .source = benson_2003,
       .blocks = block_a_rank,
       .generate = allgather},
      {.collective = Collective::allgather,
       .name = "spreading_simple",
       .summary = "everybody sends its block to everybody at once, to the next rank first",
       .wins = "long blocks where all pairs of ranks are equally far apart",
       .source = benson_2003,
       .blocks = block_a_rank,
       .generate = spreading_allgather,
       .cost = blocks_through_all_ports},
      {.collective = Collective::alltoall,
       .name = "linear",
       .summary = "all messages at once, to the next rank first",
       .wins = "medium messages",
       .source = thakur_2005,
       .section = "4.3",
       .blocks = block_a_rank,
       .generate = alltoall,
       .cost = blocks_through_all_ports},
      {.collective = Collective::reduce,
       .name = "linear",
       .summary = "everybody sends its vector to the root, which combines them one after the other",
       .wins = "very few ranks",
       .source = pjesivac_2007,
       .blocks = one_block,
       .generate = reduce},
  };
}

}  // namespace tutti::inline core::families
