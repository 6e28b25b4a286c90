#include "algorithms/patterns/binomial.hpp"

#include <algorithm>

namespace tutti {
namespace {

// The size a member's subtree would have in a tree of a power of two of members.
int subtree(int member, int size) {
  return member == 0 ? 1 << ceil_log2(size) : member & -member;
}

// The blocks of the subtree at `member`, whose own size is `span`.
BlockRange subtree_blocks(int member, int span, int size) {
  return output(member, std::min(span, size - member));
}

int parent(int member) {
  return member & (member - 1);
}

}  // namespace

void binomial_bcast(Builder& b, const Team& team, int blocks) {
  const int me = team.member(b.rank());
  if (me != 0) b.recv(team.rank(parent(me)), output(0, blocks));
  for (int span = subtree(me, team.size) / 2; span >= 1; span /= 2) {
    if (me + span >= team.size) continue;
    b.next_round();
    b.send(team.rank(me + span), output(0, blocks));
  }
}

void binomial_scatter(Builder& b, const Team& team) {
  const int me = team.member(b.rank());
  const int mine = subtree(me, team.size);
  if (me != 0) b.recv(team.rank(parent(me)), subtree_blocks(me, mine, team.size));
  for (int span = mine / 2; span >= 1; span /= 2) {
    if (me + span >= team.size) continue;
    b.next_round();
    b.send(team.rank(me + span), subtree_blocks(me + span, span, team.size));
  }
}

void binomial_gather(Builder& b, const Team& team) {
  const int me = team.member(b.rank());
  const int mine = subtree(me, team.size);
  for (int span = 1; span < mine && me + span < team.size; span *= 2)
    b.recv(team.rank(me + span), subtree_blocks(me + span, span, team.size));
  if (me != 0) b.send(team.rank(parent(me)), subtree_blocks(me, mine, team.size));
}

void binomial_reduce(Builder& b, const Team& team, int blocks) {
  const int me = team.member(b.rank());
  for (int span = 1; span < subtree(me, team.size) && me + span < team.size; span *= 2) {
    b.recv(team.rank(me + span), scratch(0, blocks));
    b.reduce(output(0, blocks), scratch(0, blocks), OperandOrder::into_first);
  }
  if (me != 0) b.send(team.rank(parent(me)), output(0, blocks));
}

}  // namespace tutti
