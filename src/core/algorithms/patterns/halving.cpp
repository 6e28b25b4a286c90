#include "core/algorithms/patterns/halving.hpp"

namespace tutti::inline core {
namespace {

// The half of `whole` that `part` is not.
Stretch other_half(Stretch whole, Stretch part) {
  return {part.first == whole.first ? part.first + part.count : whole.first, whole.count - part.count};
}

}  // namespace

std::vector<Stretch> halved_stretches(int member, int size, int blocks) {
  std::vector<Stretch> held{{0, blocks}};
  for (int distance = 1; distance < size; distance *= 2) {
    const auto [first, count] = held.back();
    const int half = count / 2;
    held.push_back((member & distance) == 0 ? Stretch{first, half} : Stretch{first + half, count - half});
  }
  return held;
}

void halving_reduce_scatter(Builder& b, const Hypercube& cube, const Workspace& workspace) {
  const auto held = halved_stretches(cube.me, cube.size, b.blocks());
  for (std::size_t round = 0; round + 1 < held.size(); ++round) {
    const int distance = 1 << round;
    const Rank partner = cube.rank(cube.me ^ distance);
    const Stretch keep = held[round + 1], give = other_half(held[round], keep);
    b.next_round();
    b.recv(partner, workspace.incoming.at(keep.first, keep.count));
    b.send(partner, workspace.partial.at(give.first, give.count));
    b.reduce(workspace.partial.at(keep.first, keep.count), workspace.incoming.at(keep.first, keep.count),
             (cube.me & distance) == 0 ? OperandOrder::into_first : OperandOrder::from_first);
  }
}

void doubling_allgather(Builder& b, const Hypercube& cube) {
  const auto held = halved_stretches(cube.me, cube.size, b.blocks());
  for (std::size_t round = held.size() - 1; round-- > 0;) {
    const Rank partner = cube.rank(cube.me ^ (1 << round));
    const Stretch mine = held[round + 1], theirs = other_half(held[round], mine);
    b.next_round();
    b.recv(partner, output(theirs.first, theirs.count));
    b.send(partner, output(mine.first, mine.count));
  }
}

void doubling_gather(Builder& b, const Hypercube& cube, int to, const Workspace& workspace) {
  const auto held = halved_stretches(cube.me, cube.size, b.blocks());
  for (std::size_t round = held.size() - 1; round-- > 0;) {
    const int distance = 1 << round;
    const Rank partner = cube.rank(cube.me ^ distance);
    const Stretch mine = held[round + 1], theirs = other_half(held[round], mine);
    b.next_round();
    if ((cube.me & distance) != (to & distance))
      return b.send(partner, workspace.partial.at(mine.first, mine.count));
    b.recv(partner, workspace.partial.at(theirs.first, theirs.count));
  }
}

}  // namespace tutti::inline core
