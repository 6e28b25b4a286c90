#include "core/algorithms/patterns/fold.hpp"

namespace tutti::inline core {

void fold_pairs(Builder& b, const Fold& fold, const Workspace& workspace, int blocks) {
  if (!fold.in_pair(b.rank())) return;
  const Rank other = Fold::neighbour(b.rank());
  const bool even = b.rank() % 2 == 0;
  const int half = blocks / 2;
  const int mine = even ? 0 : half, my_count = even ? half : blocks - half;
  const int others = even ? half : 0, others_count = blocks - my_count;
  b.recv(other, workspace.incoming.at(mine, my_count));
  b.send(other, workspace.partial.at(others, others_count));
  b.reduce(workspace.partial.at(mine, my_count), workspace.incoming.at(mine, my_count),
           even ? OperandOrder::into_first : OperandOrder::from_first);
  if (fold.steps_aside(b.rank()))
    b.send(other, workspace.partial.at(mine, my_count));
  else
    b.recv(other, workspace.partial.at(others, others_count));
}

}  // namespace tutti::inline core
