// Prefix reductions. The order of operands is kept.

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/team.hpp"

namespace tutti::inline core::families {
namespace {

constexpr std::string_view hillis_1986 = "Hillis, Steele, Data Parallel Algorithms, 1986";
constexpr std::string_view sanders_2006 = "Sanders, Träff, Parallel Prefix (Scan) Algorithms for MPI, 2006";

void linear_scan(Builder& b, const Arguments&) {
  b.copy(output(0), input(0));
  if (b.rank() > 0) {
    b.recv(b.rank() - 1, scratch(0));
    b.reduce(output(0), scratch(0), OperandOrder::from_first);
  }
  if (b.rank() + 1 < b.ranks()) b.send(b.rank() + 1, output(0));
}

// What is sent on has this rank's share, what stays has not.
void linear_exscan(Builder& b, const Arguments&) {
  const bool first = b.rank() == 0, last = b.rank() + 1 == b.ranks();
  if (first) return last ? void() : b.send(1, input(0));
  if (!last) b.copy(scratch(0), input(0));
  b.recv(b.rank() - 1, output(0));
  if (last) return;
  b.reduce(scratch(0), output(0), OperandOrder::from_first);
  b.send(b.rank() + 1, scratch(0));
}

// In the round for `distance` a rank holds the result of the `distance` ranks up to itself, and
// gets that of as many before them.
void doubling_scan(Builder& b, const Arguments&) {
  b.copy(output(0), input(0));
  for (int distance = 1; distance < b.ranks(); distance *= 2) {
    b.next_round();
    if (b.rank() >= distance) b.recv(b.rank() - distance, scratch(0));
    if (b.rank() + distance < b.ranks()) b.send(b.rank() + distance, output(0));
    if (b.rank() >= distance) b.reduce(output(0), scratch(0), OperandOrder::from_first);
  }
}

void doubling_exscan(Builder& b, const Arguments&) {
  const BlockRange inclusive = scratch(0), incoming = scratch(1);
  if (b.rank() + 1 < b.ranks()) b.copy(inclusive, input(0));
  for (int distance = 1; distance < b.ranks(); distance *= 2) {
    const bool gets = b.rank() >= distance, gives = b.rank() + distance < b.ranks();
    b.next_round();
    if (gets) b.recv(b.rank() - distance, incoming);
    if (gives) b.send(b.rank() + distance, inclusive);
    if (!gets) continue;
    if (distance == 1)
      b.copy(output(0), incoming);
    else
      b.reduce(output(0), incoming, OperandOrder::from_first);
    if (b.rank() + 2 * distance < b.ranks()) b.reduce(inclusive, incoming, OperandOrder::from_first);
  }
}

std::optional<Cost> linear_cost(int p, const Arguments&) {
  return Cost{p - 1.0, p - 1.0, p - 1.0};
}

}  // namespace

Family scan() {
  return {
      {.collective = Collective::scan,
       .name = "linear",
       .summary = "each rank adds its share and passes the result on",
       .wins = "very few ranks",
       .source = sanders_2006,
       .keeps_fixed_order = on_any_ranks,
       .blocks = one_block,
       .generate = linear_scan,
       .cost = linear_cost},
      {.collective = Collective::scan,
       .name = "recursive_doubling",
       .summary = "partial results reach ranks at doubling distance",
       .wins = "short vectors, many ranks",
       .source = hillis_1986,
       .blocks = one_block,
       .generate = doubling_scan,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         const double q = ceil_log2(p);
         return Cost{q, q, q};
       }},
      {.collective = Collective::exscan,
       .name = "linear",
       .summary = "each rank passes on what it got with its share added",
       .wins = "very few ranks",
       .source = sanders_2006,
       .keeps_fixed_order = on_any_ranks,
       .blocks = one_block,
       .generate = linear_exscan},
      {.collective = Collective::exscan,
       .name = "recursive_doubling",
       .summary = "partial results reach ranks at doubling distance",
       .wins = "short vectors, many ranks",
       .source = hillis_1986,
       .blocks = one_block,
       .generate = doubling_exscan},
  };
}

}  // namespace tutti::inline core::families
