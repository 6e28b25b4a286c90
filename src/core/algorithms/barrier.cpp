// Barriers: tokens that say nothing but that they have come. Each round begins when the one before
// is over.

#include <algorithm>
#include <cmath>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/fold.hpp"

namespace tutti::inline core::families {
namespace {

constexpr std::string_view hensgen_1988 =
    "Hensgen, Finkel, Manber, Two Algorithms for Barrier Synchronization, 1988";

constexpr BlockRange token = output(0);
constexpr BlockRange incoming = scratch(0);

// After each round a rank has heard of `radix` times as many ranks behind it.
void dissemination(Builder& b, const Arguments& arguments) {
  const int p = b.ranks(), radix = arguments.number("radix");
  for (long distance = 1; distance < p; distance *= radix) {
    b.next_round();
    const int ways = static_cast<int>(std::min<long>(radix - 1, (p - 1) / distance));
    const auto away = [&](int way) { return static_cast<int>(way * distance); };
    for (int way = 1; way <= ways; ++way) b.recv((b.rank() - away(way) + p) % p, scratch(way - 1));
    for (int way = 1; way <= ways; ++way) b.send((b.rank() + away(way)) % p, token);
  }
}

void recursive_doubling(Builder& b, const Arguments&) {
  const Fold fold(b.ranks());
  const Rank neighbour = Fold::neighbour(b.rank());
  if (fold.steps_aside(b.rank())) {
    b.send(neighbour, token);
    b.next_round();
    return b.recv(neighbour, incoming);
  }
  if (fold.in_pair(b.rank())) b.recv(neighbour, incoming);
  for (int distance = 1; distance < fold.size; distance *= 2) {
    const Rank partner = fold.rank(fold.member(b.rank()) ^ distance);
    b.next_round();
    b.recv(partner, incoming);
    b.send(partner, token);
  }
  b.next_round();
  if (fold.in_pair(b.rank())) b.send(neighbour, token);
}

// Up a binomial tree and down again.
void tree(Builder& b, const Arguments&) {
  const Rank me = b.rank();
  const int subtree = me == 0 ? 1 << ceil_log2(b.ranks()) : me & -me;
  const auto for_each_child = [&](auto&& visit) {
    for (int distance = 1; distance < subtree && me + distance < b.ranks(); distance *= 2)
      visit(me + distance);
  };
  int child = 0;
  for_each_child([&](Rank from) { b.recv(from, scratch(child++)); });
  b.next_round();
  if (me != 0) {
    b.send(me - subtree, token);
    b.next_round();
    b.recv(me - subtree, incoming);
    b.next_round();
  }
  for_each_child([&](Rank to) { b.send(to, token); });
}

}  // namespace

Family barrier() {
  return {
      {.collective = Collective::barrier,
       .name = "dissemination",
       .summary = "tokens to ranks at growing distance, round the circle",
       .wins = "any number of ranks; a larger radix where a port takes several messages at once",
       .source =
           "Hensgen, Finkel, Manber, Two Algorithms for Barrier Synchronization, 1988; Hoefler, Mehlan, "
           "Mietke, Rehm, Fast Barrier Synchronization for InfiniBand, 2006 (radix)",
       .parameters = {{"radix", "one more than the tokens of a round", {"2", "4", "8"}, true, 2}},
       .blocks = one_block,
       .generate = dissemination,
       .cost = [](int p, const Arguments& arguments) -> std::optional<Cost> {
         const int radix = arguments.number("radix");
         double messages = 0;
         for (double known = 1; known < p; known *= radix)
           messages += std::min<double>(radix - 1, std::ceil(p / known) - 1);
         return Cost{messages, 0, 0};
       }},
      {.collective = Collective::barrier,
       .name = "recursive_doubling",
       .summary = "partners at doubling distance exchange tokens",
       .wins = "powers of two",
       .source = hensgen_1988,
       .blocks = one_block,
       .generate = recursive_doubling,
       .cost = [](int p, const Arguments&) -> std::optional<Cost> {
         return Cost{floor_log2(p) + (is_power_of_two(p) ? 0.0 : 2.0), 0, 0};
       }},
      {.collective = Collective::barrier,
       .name = "tree",
       .summary = "tokens up a binomial tree and down again",
       .wins = "few messages matter more than their rounds",
       .source = hensgen_1988,
       .blocks = one_block,
       .generate = tree},
  };
}

}  // namespace tutti::inline core::families
