#include "core/algorithms/patterns/ring.hpp"

namespace tutti::inline core {

void ring_allgather(Builder& b, const Team& team, int shift) {
  const int p = team.size;
  const int me = team.member(b.rank());
  const Rank left = team.rank((me + p - 1) % p), right = team.rank((me + 1) % p);
  for (int round = 0; round < p - 1; ++round) {
    b.next_round();
    b.recv(left, output((me + shift - 1 - round + 2 * p) % p));
    b.send(right, output((me + shift - round + p) % p));
  }
}

void ring_reduce_scatter(Builder& b, const Team& team, const Workspace& workspace) {
  const int p = team.size;
  const int me = team.member(b.rank());
  const Rank left = team.rank((me + p - 1) % p), right = team.rank((me + 1) % p);
  b.copy(workspace.partial.at(0, p), input(0, p));
  for (int round = 0; round < p - 1; ++round) {
    const int incoming = (me - 1 - round + 2 * p) % p, outgoing = (me - round + p) % p;
    b.next_round();
    b.recv(left, workspace.incoming.at(incoming));
    b.send(right, workspace.partial.at(outgoing));
    b.reduce(workspace.partial.at(incoming), workspace.incoming.at(incoming), OperandOrder::from_first);
  }
}

}  // namespace tutti::inline core
