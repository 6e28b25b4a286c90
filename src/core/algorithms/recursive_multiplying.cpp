// Allreduce by recursive multiplying: as recursive doubling, but groups of up to k exchange their
// partial results in each round, so that fewer rounds carry more messages at a time. The factors of
// p are the groups' sizes; ranks beyond the largest product of factors up to k are folded away
// first.
//
// Every member combines its group's partial results from the lowest rank to the highest, so that
// the result is the same bit for bit everywhere.

#include <algorithm>

#include "core/algorithms/algorithm.hpp"
#include "core/algorithms/patterns/fold.hpp"

namespace tutti::inline core::families {
namespace {

// Sizes of groups whose product is n, none above k, largest first; empty if there are none.
std::vector<int> factors_up_to(int k, int n) {
  std::vector<int> factors;
  while (n > 1) {
    int factor = std::min(k, n);
    while (n % factor != 0) --factor;
    if (factor == 1) return {};
    factors.push_back(factor);
    n /= factor;
  }
  return factors;
}

// The largest number not above `ranks` with such factors.
std::vector<int> group_sizes(int k, int ranks) {
  for (int n = ranks; n > 1; --n)
    if (auto factors = factors_up_to(k, n); !factors.empty()) return factors;
  return {};
}

// One round: everyone's partial result, in the output, is replaced by its group's.
void exchange(Builder& b, const Fold& fold, int digit, int stride, int size) {
  const int me = fold.member(b.rank());
  const auto member = [&](int other) { return fold.rank(me + (other - digit) * stride); };
  // The place of another's partial result: scratch has none for this rank's own.
  const auto theirs = [&](int other) { return scratch(other < digit ? other : other - 1); };
  for (int other = 0; other < size; ++other)
    if (other != digit) b.recv(member(other), theirs(other));
  for (int other = 0; other < size; ++other)
    if (other != digit) b.send(member(other), output(0));
  for (int other = 1; other < digit; ++other)
    b.reduce(theirs(other), theirs(other - 1), OperandOrder::from_first);
  if (digit > 0) b.reduce(output(0), theirs(digit - 1), OperandOrder::from_first);
  for (int other = digit + 1; other < size; ++other)
    b.reduce(output(0), theirs(other), OperandOrder::into_first);
}

void generate(Builder& b, const Arguments& arguments) {
  const std::vector<int> sizes = group_sizes(arguments.number("radix"), b.ranks());
  int remain = 1;
  for (const int size : sizes) remain *= size;
  const Fold fold(b.ranks(), 0, remain);
  const Rank neighbour = Fold::neighbour(b.rank());
  if (fold.steps_aside(b.rank())) {
    b.send(neighbour, input(0));
    b.next_round();
    return b.recv(neighbour, output(0));
  }
  b.copy(output(0), input(0));
  if (fold.in_pair(b.rank())) {
    b.recv(neighbour, scratch(0));
    b.reduce(output(0), scratch(0), OperandOrder::into_first);
  }
  int stride = 1;
  for (const int size : sizes) {
    b.next_round();
    exchange(b, fold, fold.member(b.rank()) / stride % size, stride, size);
    stride *= size;
  }
  if (fold.in_pair(b.rank())) b.send(neighbour, output(0));
}

}  // namespace

Family recursive_multiplying() {
  return {{
      .collective = Collective::allreduce,
      .name = "recursive_multiplying",
      .summary = "groups exchange whole partial results at multiplying distance",
      .wins = "the shortest messages, where a port takes several at once",
      .source = "Ruefenacht, Bull, Booth, Generalisation of Recursive Doubling for AllReduce, 2017",
      .parameters = {{"radix", "ranks that exchange in one round, at most", {"4", "3", "8"}, true, 2}},
      .blocks = one_block,
      .generate = generate,
  }};
}

}  // namespace tutti::inline core::families
